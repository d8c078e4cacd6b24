# Section 2: missing, types, lists, text operators, arithmetic, functions. The rule tells the events
# for which its condition holds; each event says in "is" what is right.

=== missing: a comparison with a missing side is false, != too
--- rule
rule r { match { a: s where x != "a" } }
--- events
1s s
2s s {"x":null}
3s s {"x":"a"}
4s s {"x":"b"}
--- alerts
4s r a=4s

=== missing: not is plain negation
--- rule
rule r { match { a: s where not x == "a" } }
--- events
1s s
2s s {"x":null}
3s s {"x":"a"}
4s s {"x":"b"}
--- alerts
1s r a=1s
2s r a=2s
4s r a=4s

=== missing: exists
--- rule
rule r { match { a: s where exists(x) } }
--- events
1s s
2s s {"x":null}
3s s {"x":false}
4s s {"x":[]}
5s s {"x":""}
--- alerts
3s r a=3s
4s r a=4s
5s r a=5s

=== missing: ?? gives the right side
--- rule
rule r { match { a: s where (x ?? 7) == 7 } }
--- events
1s s
2s s {"x":7}
3s s {"x":8}
4s s {"x":null}
--- alerts
1s r a=1s
2s r a=2s
4s r a=4s

=== missing: both sides missing are not equal
--- rule
rule r { match { a: s where x == y } }
--- events
1s s
2s s {"x":1}
3s s {"x":1,"y":1}
--- alerts
3s r a=3s

=== missing: not in, not like, not contains are false
--- rule
rule r { match { a: s where x not in ["a"] or x not like "a*" or x not contains "a" or x not regex "a" or x not startswith "a" or x not endswith "a" } }
--- events
1s s
2s s {"x":"a"}
3s s {"x":"b"}
--- alerts
3s r a=3s

=== missing: of a step that lacks the field
--- rule
rule r { match within 10s { a: a b: b where u != a.u } }
--- events
1s a
2s b {"u":1}
3s a {"u":2}
4s b {"u":1}
--- alerts
4s r a=3s b=4s

=== precedence: not binds weaker than ==, and before or
--- rule
rule r { match { a: s where x == 1 or x == 2 and not y == 1 } }
--- events
1s s {"x":1,"y":1}
2s s {"x":2,"y":1}
3s s {"x":2}
--- alerts
1s r a=1s
3s r a=3s

=== types: different types do not compare, neither == nor != nor <
--- rule
rule r { match { a: s where x == 1 or x != 1 or x < 1 or x >= 1 } }
--- events
1s s {"x":"1"}
2s s {"x":true}
3s s {"x":1}
4s s {"x":2.5}
--- alerts
3s r a=3s
4s r a=4s

=== types: numbers compare by value
--- rule
rule r { match { a: s where x == 1 } }
--- events
1s s {"x":1}
2s s {"x":1.0}
3s s {"x":1.5}
4s s {"x":10e-1}
--- alerts
1s r a=1s
2s r a=2s
4s r a=4s

=== types: integers beyond 2^53 are not rounded
--- rule
rule r { match { a: s where x == 9007199254740993 } }
--- events
1s s {"x":9007199254740993}
2s s {"x":9007199254740992}
3s s {"x":9007199254740994}
--- alerts
1s r a=1s

=== types: int64 against double by value
--- rule
rule r { match { a: s where x > y } }
--- events
1s s {"x":9007199254740993,"y":9007199254740992.0}
2s s {"x":9007199254740992,"y":9007199254740992.0}
3s s {"x":1.5,"y":1}
--- alerts
1s r a=1s
3s r a=3s

=== types: bool
--- rule
rule r { match { a: s where x == true and y != true } }
--- events
1s s {"x":true,"y":false}
2s s {"x":true}
3s s {"x":1,"y":false}
4s s {"x":true,"y":true}
--- alerts
1s r a=1s

=== text: order is by code point
--- rule
rule r { match { a: s where x > "a" and x < "b" } }
--- events
1s s {"x":"a"}
2s s {"x":"aa"}
3s s {"x":"B"}
4s s {"x":"az"}
5s s {"x":"é"}
--- alerts
2s r a=2s
4s r a=4s

=== text: == minds case, ==~ does not
--- rule
rule r { match { a: s where x == "Root" } }
rule t { match { a: s where x ==~ "Root" } }
--- events
1s s {"x":"root"}
2s s {"x":"Root"}
3s s {"x":"ROOT"}
4s s {"x":"roots"}
--- alerts
1s t a=1s
2s r a=2s
2s t a=2s
3s t a=3s

=== text: ignoring case goes beyond ASCII
--- rule
rule r { match { a: s where x ==~ "ÄRGER" } }
--- events
1s s {"x":"ärger"}
2s s {"x":"arger"}
--- alerts
1s r a=1s

=== text: !=~
--- rule
rule r { match { a: s where x !=~ "ROOT" } }
--- events
1s s {"x":"root"}
2s s {"x":"rooted"}
3s s
--- alerts
2s r a=2s

=== text: in and in~
--- rule
rule r { match { a: s where x in ["a", "b"] } }
rule t { match { a: s where x in~ ["A", "b"] } }
--- events
1s s {"x":"a"}
2s s {"x":"B"}
3s s {"x":"c"}
--- alerts
1s r a=1s
1s t a=1s
2s t a=2s

=== in with numbers
--- rule
rule r { match { a: s where x in [1, 2.5] } }
--- events
1s s {"x":1.0}
2s s {"x":2.5}
3s s {"x":"1"}
--- alerts
1s r a=1s
2s r a=2s

=== not in
--- rule
rule r { match { a: s where x not in ["a", "b"] } }
--- events
1s s {"x":"a"}
2s s {"x":"c"}
3s s
--- alerts
2s r a=2s

=== like: * and ?
--- rule
rule r { match { a: s where x like "a*c?" } }
--- events
1s s {"x":"acd"}
2s s {"x":"abbbcd"}
3s s {"x":"abc"}
4s s {"x":"xacd"}
5s s {"x":"acdd"}
--- alerts
1s r a=1s
2s r a=2s

=== like: the backslash is itself
--- rule
rule r { match { a: s where x like 'C:\Windows\*.exe' } }
--- events
1s s {"x":"C:\\Windows\\cmd.exe"}
2s s {"x":"C:Windows.exe"}
3s s {"x":"C:\\Windows\\*.exe"}
--- alerts
1s r a=1s
3s r a=3s

=== like: [*] [?] [[] are literal
--- rule
rule r { match { a: s where x like "a[*]b[?]c[[]*" } }
--- events
1s s {"x":"a*b?c["}
2s s {"x":"axb?c[d"}
3s s {"x":"a*b?c[d"}
--- alerts
1s r a=1s
3s r a=3s

=== like~ and a list on the right side
--- rule
rule r { match { a: s where x like~ ["adm-*", "*-ROOT"] } }
--- events
1s s {"x":"ADM-1"}
2s s {"x":"x-root"}
3s s {"x":"admin"}
--- alerts
1s r a=1s
2s r a=2s

=== not like a list: none of them
--- rule
rule r { match { a: s where x not like ["a*", "b*"] } }
--- events
1s s {"x":"ab"}
2s s {"x":"ba"}
3s s {"x":"cab"}
4s s
--- alerts
3s r a=3s

=== regex is unanchored
--- rule
rule r { match { a: s where x regex 'b+c' } }
--- events
1s s {"x":"abbcd"}
2s s {"x":"abd"}
3s s {"x":"ABBC"}
--- alerts
1s r a=1s

=== regex~ ignores case, ^ and $ anchor
--- rule
rule r { match { a: s where x regex~ '^ab.d$' } }
--- events
1s s {"x":"ABCD"}
2s s {"x":"abcde"}
3s s {"x":"xabcd"}
4s s {"x":"abéd"}
--- alerts
1s r a=1s
4s r a=4s

=== contains, and of a list any
--- rule
rule r { match { a: s where x contains ["foo", "bar"] } }
--- events
1s s {"x":"a foot"}
2s s {"x":"bars"}
3s s {"x":"fo o"}
--- alerts
1s r a=1s
2s r a=2s

=== contains_all
--- rule
rule r { match { a: s where x contains_all ["foo", "bar"] } }
--- events
1s s {"x":"foobar"}
2s s {"x":"foo"}
3s s {"x":"bar foo"}
--- alerts
1s r a=1s
3s r a=3s

=== not contains_all: lacks one at least
--- rule
rule r { match { a: s where x not contains_all ["foo", "bar"] } }
--- events
1s s {"x":"foobar"}
2s s {"x":"foo"}
3s s
--- alerts
2s r a=2s

=== startswith and endswith, with lists, ignoring case
--- rule
rule r { match { a: s where x startswith~ ["AB", "cd"] and x endswith ["z", "yy"] } }
--- events
1s s {"x":"abz"}
2s s {"x":"CDyy"}
3s s {"x":"cdy"}
4s s {"x":"xabz"}
--- alerts
1s r a=1s
2s r a=2s

=== contains~
--- rule
rule r { match { a: s where x contains~ "FOO" } }
--- events
1s s {"x":"a foot"}
2s s {"x":"fo"}
--- alerts
1s r a=1s

=== text operators on a number are false, negative ones are too on missing
--- rule
rule r { match { a: s where x contains "1" or x like "1*" or x startswith "1" } }
--- events
1s s {"x":123}
2s s {"x":"123"}
--- alerts
2s r a=2s

=== lists: a comparison is true if true for any element
--- rule
rule r { match { a: s where x == "a" } }
--- events
1s s {"x":["b","a"]}
2s s {"x":["b"]}
3s s {"x":[]}
4s s {"x":["A"]}
--- alerts
1s r a=1s

=== lists: != only if the list is not empty and no element equals
--- rule
rule r { match { a: s where x != "a" } }
--- events
1s s {"x":["b","a"]}
2s s {"x":["b","c"]}
3s s {"x":[]}
4s s
--- alerts
2s r a=2s

=== lists: < for any element
--- rule
rule r { match { a: s where x < 3 } }
--- events
1s s {"x":[5,2]}
2s s {"x":[5,3]}
--- alerts
1s r a=1s

=== lists: in and not in
--- rule
rule r { match { a: s where x in ["a", "b"] } }
rule t { match { a: s where x not in ["a", "b"] } }
--- events
1s s {"x":["c","b"]}
2s s {"x":["c","d"]}
3s s {"x":[]}
--- alerts
1s r a=1s
2s t a=2s

=== lists: like and not like
--- rule
rule r { match { a: s where x like "a*" } }
rule t { match { a: s where x not like "a*" } }
--- events
1s s {"x":["c","ab"]}
2s s {"x":["c","d"]}
3s s {"x":[]}
--- alerts
1s r a=1s
2s t a=2s

=== lists: not contains over elements
--- rule
rule r { match { a: s where x not contains "oo" } }
--- events
1s s {"x":["foo","bar"]}
2s s {"x":["bar","baz"]}
3s s {"x":[]}
--- alerts
2s r a=2s

=== lists: an empty list exists and has length 0
--- rule
rule r { match { a: s where exists(x) and length(x) == 0 } }
--- events
1s s {"x":[]}
2s s {"x":[1]}
3s s
--- alerts
1s r a=1s

=== lists: equality of two lists holds if any two elements are equal
--- rule
rule r { match within 10s { a: a b: b where x == a.x } }
--- events
1s a {"x":[1,2]}
2s b {"x":[3]}
3s b {"x":[3,2]}
--- alerts
3s r a=1s b=3s

=== any(x in field: cond)
--- rule
rule r { match { a: s where any(p in ports: p > 10 and p < 20) } }
--- events
1s s {"ports":[5,15]}
2s s {"ports":[5,25]}
3s s {"ports":[]}
4s s
--- alerts
1s r a=1s

=== all(x in field: cond)
--- rule
rule r { match { a: s where length(ports) > 0 and all(p in ports: p > 10) } }
--- events
1s s {"ports":[15,25]}
2s s {"ports":[5,25]}
3s s {"ports":[]}
--- alerts
1s r a=1s

=== paths: nested objects and flat keys with dots, nested wins
--- rule
rule r { match { a: s where user.id == "u1" } }
--- events
1s s {"user":{"id":"u1"}}
2s s {"user.id":"u1"}
3s s {"user.id":"u1","user":{"id":"u2"}}
4s s {"user":{"name":"u1"}}
--- alerts
1s r a=1s
2s r a=2s

=== paths: through an array of objects
--- rule
rule r { match { a: s where hits.ip == "b" } }
--- events
1s s {"hits":[{"ip":"a"},{"ip":"b"}]}
2s s {"hits":[{"ip":"a"},{"n":1}]}
3s s {"hits":{"ip":"b"}}
--- alerts
1s r a=1s
3s r a=3s

=== paths: indexes
--- rule
rule r { match { a: s where x[0] == "a" and x[-1] == "c" } }
--- events
1s s {"x":["a","b","c"]}
2s s {"x":["b","a","c"]}
3s s {"x":["a"]}
4s s {"x":[]}
--- alerts
1s r a=1s

=== paths: back-quoted parts
--- rule
rule r { match { a: s where http.`user-agent` == "x" } }
--- events
1s s {"http":{"user-agent":"x"}}
2s s {"http":{"user":"x"}}
--- alerts
1s r a=1s

=== paths: reserved words are names behind a dot, others anywhere
--- rule
rule r { match { a: s where rule.id == 1 and first.seen == 2 and x.in == 3 } }
--- events
1s s {"rule":{"id":1},"first":{"seen":2},"x":{"in":3}}
--- alerts
1s r a=1s

=== declared lists: plain
--- rule
list bad = ["x", "y"]
rule r { match { a: s where u in bad } }
rule t { match { a: s where u not in bad } }
--- events
1s s {"u":"x"}
2s s {"u":"z"}
3s s
--- alerts
1s r a=1s
2s t a=2s

=== declared lists: like
--- rule
list bad = like ["adm-*", "root"]
rule r { match { a: s where u in bad } }
--- events
1s s {"u":"adm-7"}
2s s {"u":"root"}
3s s {"u":"rooted"}
--- alerts
1s r a=1s
2s r a=2s

=== declared lists: regex
--- rule
list bad = regex ['^adm\d+$', 'root']
rule r { match { a: s where u in bad } }
--- events
1s s {"u":"adm7"}
2s s {"u":"a rooted one"}
3s s {"u":"adm"}
--- alerts
1s r a=1s
2s r a=2s

=== declared lists: cidr
--- rule
list net = cidr ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]
rule r { match { a: s where ip in net } }
rule t { match { a: s where ip not in net } }
--- events
1s s {"ip":"10.1.2.3"}
2s s {"ip":"11.1.2.3"}
3s s {"ip":"192.0.2.7"}
4s s {"ip":"2001:db8::1"}
5s s {"ip":["11.0.0.1","10.0.0.1"]}
6s s
--- alerts
1s r a=1s
2s t a=2s
3s r a=3s
4s r a=4s
5s r a=5s

=== def: a condition with a name
--- rule
list admins = ["root", "bob"]
def is_admin(u) = u in admins or u like~ "adm-*"
rule r { match { a: s where is_admin(user) } }
--- events
1s s {"user":"bob"}
2s s {"user":"ADM-1"}
3s s {"user":"eve"}
--- alerts
1s r a=1s
2s r a=2s

=== arithmetic
--- rule
rule r { match { a: s where x + 2 * y == 7 and (x - y) / 2 == -0.5 and x % 2 == 1 } }
--- events
1s s {"x":3,"y":2}
2s s {"x":1,"y":3}
--- alerts

=== arithmetic, one that fits
--- rule
rule r { match { a: s where x + 2 * y == 7 and (x - y) / 2 == 0.5 and x % 2 == 0 + 1 } }
--- events
1s s {"x":3,"y":2}
2s s {"x":1,"y":3}
--- alerts
1s r a=1s

=== arithmetic on a missing or non-number operand is missing
--- rule
rule r { match { a: s where not exists(x + 1) } }
--- events
1s s
2s s {"x":"1"}
3s s {"x":1}
--- alerts
1s r a=1s
2s r a=2s

=== division by zero is missing
--- rule
rule r { match { a: s where not exists(1 / x) } }
--- events
1s s {"x":0}
2s s {"x":2}
3s s {"x":0.0}
--- alerts
1s r a=1s
3s r a=3s

=== division of integers is a number
--- rule
rule r { match { a: s where x / 2 == 1.5 } }
--- events
1s s {"x":3}
2s s {"x":2}
--- alerts
1s r a=1s

=== integer overflow turns to double
--- rule
rule r { match { a: s where x + 1 > 9.2e18 } }
--- events
1s s {"x":9223372036854775807}
2s s {"x":1}
--- alerts
1s r a=1s

=== time of an earlier step and of the candidate
--- rule
rule r {
  match within 60s { a: a b: b where time() - time(a) >= 5s }
  emit { gap = time(b) - time(a)  half = (time(b) - time(a)) / 2  ratio = (time(b) - time(a)) / 10s }
}
--- events
0s a
4.999999999s b
5s b
--- alerts
5s r a=0s b=5s {"gap":5,"half":2.5,"ratio":0.5}

=== stream() of the candidate
--- rule
rule r { match { a: [s, t] where stream() == "t" } }
--- events
1s s
2s t
--- alerts
2s r a=2s

=== functions of texts
--- rule
rule r { match { a: s where lower(x) == "ab" and upper(x) == "AB" and length(x) == 2 and trim(y) == "c" and concat(x, "-", y) == "aB- c " } }
--- events
1s s {"x":"aB","y":" c "}
2s s {"x":"aB"}
--- alerts
1s r a=1s

=== substring
--- rule
rule r { match { a: s where substring(x, 1, 2) == "éc" and substring(x, 2) == "cd" and substring(x, -1) == "d" } }
--- events
1s s {"x":"aécd"}
--- alerts
1s r a=1s

=== number and string
--- rule
rule r { match { a: s where number(x) == 12 and string(y) == "12" } }
--- events
1s s {"x":"12","y":12}
2s s {"x":"1x","y":12}
3s s {"x":12,"y":12}
--- alerts
1s r a=1s
3s r a=3s

=== if, abs
--- rule
rule r { match { a: s where if(x > 0, "p", "n") == "n" and abs(x) == 3 } }
--- events
1s s {"x":-3}
2s s {"x":3}
--- alerts
1s r a=1s

=== extract
--- rule
rule r { match { a: s where extract(x, 'port (\d+)') == "22" } }
--- events
1s s {"x":"from port 22"}
2s s {"x":"from port 23"}
3s s {"x":"from"}
--- alerts
1s r a=1s

=== cidr_match
--- rule
rule r { match { a: s where cidr_match(ip, "10.0.0.0/8", "192.168.0.0/16") } }
--- events
1s s {"ip":"192.168.3.4"}
2s s {"ip":"192.169.3.4"}
3s s {"ip":"none"}
4s s
--- alerts
1s r a=1s

=== any_field: all text values of the event
--- rule
rule r { match { a: s where any_field contains "needle" } }
--- events
1s s {"x":{"y":["a","the needle"]}}
2s s {"needle":"key"}
3s s {"x":"needles"}
--- alerts
1s r a=1s
3s r a=3s

=== duplicate keys: the first counts
--- rule
rule r { match { a: s where x == 1 } }
--- events
1s s {"x":1,"x":2}
2s s {"x":2,"x":1}
--- alerts
1s r a=1s

=== escapes and raw text
--- rule
rule r { match { a: s where x == "a\"b\\c\n" and y == 'it''s' } }
--- events
1s s {"x":"a\"b\\c\n","y":"it's"}
--- alerts
1s r a=1s

=== literals: sizes
--- rule
rule r { match { a: s where x >= 64KiB } }
--- events
1s s {"x":65535}
2s s {"x":65536}
--- alerts
2s r a=2s

=== comments, and newlines that mean nothing
--- rule
rule r { # one
  match   // two
    { a:
        s where x
          == 1 }
}
--- events
1s s {"x":1}
--- alerts
1s r a=1s
