# Section 2: each function of src/lang/function.def (tests/unit/test_function.c sees that none is left
# out), at its edges. v is what the function gives; null: missing.

=== lower
--- rule
rule r { match { a: s } emit { v = lower(x) } }
--- events
1s s {"x": "AbC"}
2s s {"x": "ÄÉ"}
3s s {"x": ""}
4s s {"x": 1}
5s s {"x": null}
6s s {"x": []}
7s s {"x": ["a"]}
8s s {"x": {"k": 1}}
--- alerts
1s r a=1s {"v": "abc"}
2s r a=2s {"v": "äé"}
3s r a=3s {"v": ""}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== upper
--- rule
rule r { match { a: s } emit { v = upper(x) } }
--- events
1s s {"x": "aé1"}
2s s {"x": true}
3s s {"x": null}
4s s {"x": []}
5s s {"x": ["a"]}
6s s {"x": {"k": 1}}
--- alerts
1s r a=1s {"v": "AÉ1"}
2s r a=2s {"v": null}
3s r a=3s {"v": null}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}

=== length
--- rule
rule r { match { a: s } emit { v = length(x) } }
--- events
1s s {"x": "aä😀"}
2s s {"x": ""}
3s s {"x": [1, 2]}
4s s {"x": []}
5s s {"x": 12}
6s s {"x": null}
--- alerts
1s r a=1s {"v": 3}
2s r a=2s {"v": 0}
3s r a=3s {"v": 2}
4s r a=4s {"v": 0}
5s r a=5s {"v": null}
6s r a=6s {"v": null}

=== substring
--- rule
rule r { match { a: s } emit { v = substring(x, y, z) } }
--- events
1s s {"x": "hällo", "y": 1, "z": 2}
2s s {"x": "hello", "y": -2, "z": 9}
3s s {"x": "hello", "y": 9, "z": 1}
4s s {"x": "hello", "y": 0, "z": -1}
5s s {"x": "hello", "y": 0.5, "z": 1}
6s s {"x": "hello", "y": 0}
--- alerts
1s r a=1s {"v": "äl"}
2s r a=2s {"v": "lo"}
3s r a=3s {"v": ""}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}

=== concat
--- rule
rule r { match { a: s } emit { v = concat(x, "-", y) } }
--- events
1s s {"x": "a", "y": 1}
2s s {"x": 1.5, "y": true}
3s s {"x": "a"}
4s s {"x": ["a"], "y": "b"}
--- alerts
1s r a=1s {"v": "a-1"}
2s r a=2s {"v": "1.5-true"}
3s r a=3s {"v": null}
4s r a=4s {"v": null}

=== trim
--- rule
rule r { match { a: s } emit { v = trim(x) } }
--- events
1s s {"x": " \t a b\r\n"}
2s s {"x": "  "}
3s s {"x": " a"}
4s s {"x": 3}
5s s {"x": null}
--- alerts
1s r a=1s {"v": "a b"}
2s r a=2s {"v": ""}
3s r a=3s {"v": "a"}
4s r a=4s {"v": null}
5s r a=5s {"v": null}

=== replace
--- rule
rule r { match { a: s } emit { v = replace(x, y, z) } }
--- events
1s s {"x": "aXbXc", "y": "X", "z": "--"}
2s s {"x": "aaa", "y": "aa", "z": "b"}
3s s {"x": "abc", "y": "x", "z": "y"}
4s s {"x": "abc", "y": "b", "z": ""}
5s s {"x": "a.c", "y": ".", "z": "$1\\"}
6s s {"x": "", "y": "a", "z": "b"}
7s s {"x": "abc", "y": "", "z": "b"}
8s s {"x": "abc", "y": "b"}
9s s {"x": 5, "y": "5", "z": "6"}
--- alerts
1s r a=1s {"v": "a--b--c"}
2s r a=2s {"v": "ba"}
3s r a=3s {"v": "abc"}
4s r a=4s {"v": "ac"}
5s r a=5s {"v": "a$1\\c"}
6s r a=6s {"v": ""}
7s r a=7s {"v": null}
8s r a=8s {"v": null}
9s r a=9s {"v": null}

=== replace: nothing to be replaced
--- rule
rule r { match { a: s where replace(x, "", "y") == "a" } }
--- error-like
an empty text is everywhere and nowhere

=== split
--- rule
rule r { match { a: s } emit { v = split(x, ",") } }
--- events
1s s {"x": "a,b"}
2s s {"x": "a"}
3s s {"x": ""}
4s s {"x": ",a,,"}
5s s {"x": 1}
6s s {"x": null}
--- alerts
1s r a=1s {"v": ["a", "b"]}
2s r a=2s {"v": ["a"]}
3s r a=3s {"v": [""]}
4s r a=4s {"v": ["", "a", "", ""]}
5s r a=5s {"v": null}
6s r a=6s {"v": null}

=== split: a separator of several characters, or none
--- rule
rule r { match { a: s } emit { v = split(x, y) } }
--- events
1s s {"x": "a::b:::c", "y": "::"}
2s s {"x": "a", "y": ""}
3s s {"x": "a", "y": 1}
--- alerts
1s r a=1s {"v": ["a", "b", ":c"]}
2s r a=2s {"v": null}
3s r a=3s {"v": null}

=== split: one part
--- rule
rule r { match { a: s } emit { v = split(x, ".", n) } }
--- events
1s s {"x": "a.b.c", "n": 0}
2s s {"x": "a.b.c", "n": 2}
3s s {"x": "a.b.c", "n": -1}
4s s {"x": "a.b.c", "n": -3}
5s s {"x": "a.b.c", "n": 3}
6s s {"x": "a.b.c", "n": -4}
7s s {"x": "a.", "n": 1}
8s s {"x": "a", "n": 0}
9s s {"x": "a.b", "n": 1.5}
10s s {"x": "a.b", "n": "1"}
--- alerts
1s r a=1s {"v": "a"}
2s r a=2s {"v": "c"}
3s r a=3s {"v": "c"}
4s r a=4s {"v": "a"}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": ""}
8s r a=8s {"v": "a"}
9s r a=9s {"v": null}
10s r a=10s {"v": null}

=== split: elements are compared as any list
--- rule
rule r { match { a: s } emit { v = "b" in split(x, ",") and split(x, ",") contains "c" } }
--- events
1s s {"x": "a,b,c"}
2s s {"x": "a,c"}
3s s {"x": ""}
--- alerts
1s r a=1s {"v": true}
2s r a=2s {"v": false}
3s r a=3s {"v": false}

=== split: without a separator
--- rule
rule r { match { a: s where split(x, "") == "a" } }
--- error-like
an empty text is everywhere and nowhere

=== join
--- rule
rule r { match { a: s } emit { v = join(x, "-") } }
--- events
1s s {"x": ["a", 1, true, null, 2.5]}
2s s {"x": []}
3s s {"x": "a"}
4s s {"x": [null]}
5s s {"x": [["a"]]}
6s s {"x": [{"k": 1}]}
7s s {"x": {"k": 1}}
8s s {"x": null}
--- alerts
1s r a=1s {"v": "a-1-true-2.5"}
2s r a=2s {"v": ""}
3s r a=3s {"v": "a"}
4s r a=4s {"v": ""}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== join: of split
--- rule
rule r { match { a: s } emit { v = join(split(x, " "), "") } }
--- events
1s s {"x": "a b  c"}
--- alerts
1s r a=1s {"v": "abc"}

=== extract
--- rule
rule r { match { a: s } emit { v = extract(x, 'u=(\w+)(!)?') } }
--- events
1s s {"x": "u=joe u=ann"}
2s s {"x": "none"}
3s s {"x": 5}
4s s {"x": null}
--- alerts
1s r a=1s {"v": "joe"}
2s r a=2s {"v": null}
3s r a=3s {"v": null}
4s r a=4s {"v": null}

=== extract: the second group
--- rule
rule r { match { a: s } emit { v = extract(x, 'u=(\w+)(!)?', 2) } }
--- events
1s s {"x": "u=joe!"}
2s s {"x": "u=joe"}
--- alerts
1s r a=1s {"v": "!"}
2s r a=2s {"v": null}

=== basename
--- rule
rule r { match { a: s } emit { v = basename(x) } }
--- events
1s s {"x": "C:\\Windows\\cmd.exe"}
2s s {"x": "/bin/sh"}
3s s {"x": "sh"}
4s s {"x": "/bin/"}
5s s {"x": ""}
6s s {"x": "a\\b/c"}
7s s {"x": 1}
8s s {"x": null}
--- alerts
1s r a=1s {"v": "cmd.exe"}
2s r a=2s {"v": "sh"}
3s r a=3s {"v": "sh"}
4s r a=4s {"v": ""}
5s r a=5s {"v": ""}
6s r a=6s {"v": "c"}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== base64_decode
--- rule
rule r { match { a: s } emit { v = base64_decode(x) } }
--- events
1s s {"x": "aGVsbG8="}
2s s {"x": "aGVsbG8"}
3s s {"x": "aGVs\nbG8 ="}
4s s {"x": ""}
5s s {"x": "w6Q="}
6s s {"x": "_-8="}
7s s {"x": "Pz8_Pz8/"}
8s s {"x": "YWL/Yw=="}
9s s {"x": "a"}
10s s {"x": "aGVsbG8=="}
11s s {"x": "aGVsbG8=x"}
12s s {"x": "===="}
13s s {"x": "aG!s"}
14s s {"x": 7}
15s s {"x": null}
--- alerts
1s r a=1s {"v": "hello"}
2s r a=2s {"v": "hello"}
3s r a=3s {"v": "hello"}
4s r a=4s {"v": ""}
5s r a=5s {"v": "ä"}
6s r a=6s {"v": "��"}
7s r a=7s {"v": "??????"}
8s r a=8s {"v": "ab�c"}
9s r a=9s {"v": null}
10s r a=10s {"v": null}
11s r a=11s {"v": null}
12s r a=12s {"v": null}
13s r a=13s {"v": null}
14s r a=14s {"v": null}
15s r a=15s {"v": null}

=== base64_decode: UTF-16
--- rule
rule r { match { a: s } emit { v = base64_decode(x, "utf16le") } }
--- events
1s s {"x": "SQBFAFgA"}
2s s {"x": "5ADkAA=="}
3s s {"x": "PdgA3g=="}
4s s {"x": "PdhBAA=="}
5s s {"x": "QQBC"}
6s s {"x": ""}
--- alerts
1s r a=1s {"v": "IEX"}
2s r a=2s {"v": "ää"}
3s r a=3s {"v": "😀"}
4s r a=4s {"v": "�A"}
5s r a=5s {"v": "A�"}
6s r a=6s {"v": ""}

=== base64_decode: an unknown encoding
--- rule
rule r { match { a: s where base64_decode(x, "utf16") == "a" } }
--- error-like
`utf16` is no encoding

=== url_decode
--- rule
rule r { match { a: s } emit { v = url_decode(x) } }
--- events
1s s {"x": "a%20b%2fc%2F"}
2s s {"x": "100%"}
3s s {"x": "%zz%4"}
4s s {"x": "a+b"}
5s s {"x": "%C3%A4"}
6s s {"x": "%C3"}
7s s {"x": "%ff%fe%41"}
8s s {"x": "%2541"}
9s s {"x": ""}
10s s {"x": 1}
11s s {"x": null}
--- alerts
1s r a=1s {"v": "a b/c/"}
2s r a=2s {"v": "100%"}
3s r a=3s {"v": "%zz%4"}
4s r a=4s {"v": "a+b"}
5s r a=5s {"v": "ä"}
6s r a=6s {"v": "�"}
7s r a=7s {"v": "��A"}
8s r a=8s {"v": "%41"}
9s r a=9s {"v": ""}
10s r a=10s {"v": null}
11s r a=11s {"v": null}

=== entropy
--- rule
rule r { match { a: s } emit { v = entropy(x) } }
--- events
1s s {"x": "aaaa"}
2s s {"x": "abcd"}
3s s {"x": "aabb"}
4s s {"x": "ääöö"}
5s s {"x": "aä"}
6s s {"x": ""}
7s s {"x": "a"}
8s s {"x": "äöüßéèêëàâçñõîïôùûÿœ"}
9s s {"x": 1}
10s s {"x": null}
--- alerts
1s r a=1s {"v": 0}
2s r a=2s {"v": 2}
3s r a=3s {"v": 1}
4s r a=4s {"v": 1}
5s r a=5s {"v": 1}
6s r a=6s {"v": 0}
7s r a=7s {"v": 0}
8s r a=8s {"v": 4.321928094887363}
9s r a=9s {"v": null}
10s r a=10s {"v": null}

=== levenshtein
--- rule
rule r { match { a: s } emit { v = levenshtein(x, y) } }
--- events
1s s {"x": "kitten", "y": "sitting"}
2s s {"x": "", "y": "abc"}
3s s {"x": "abc", "y": ""}
4s s {"x": "", "y": ""}
5s s {"x": "ä", "y": "a"}
6s s {"x": "ab", "y": "ba"}
7s s {"x": "A", "y": "a"}
8s s {"x": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "y": "b"}
9s s {"x": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "y": "b"}
10s s {"x": "b", "y": "äääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää"}
11s s {"x": 1, "y": "1"}
12s s {"x": "a"}
--- alerts
1s r a=1s {"v": 3}
2s r a=2s {"v": 3}
3s r a=3s {"v": 3}
4s r a=4s {"v": 0}
5s r a=5s {"v": 1}
6s r a=6s {"v": 2}
7s r a=7s {"v": 1}
8s r a=8s {"v": 1024}
9s r a=9s {"v": null}
10s r a=10s {"v": null}
11s r a=11s {"v": null}
12s r a=12s {"v": null}

=== hash64
--- rule
rule r { match { a: s } emit { v = hash64(x) } }
--- events
1s s {"x": ""}
2s s {"x": "a"}
3s s {"x": "1"}
4s s {"x": 1}
5s s {"x": 1.0}
6s s {"x": true}
7s s {"x": []}
8s s {"x": null}
--- alerts
1s r a=1s {"v": 3244421341483603138}
2s r a=2s {"v": 7405662395035962911}
3s r a=3s {"v": 7335560060985733464}
4s r a=4s {"v": 7335560060985733464}
5s r a=5s {"v": 7335560060985733464}
6s r a=6s {"v": 4664556114322093609}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== number
--- rule
rule r { match { a: s } emit { v = number(x) } }
--- events
1s s {"x": " 42 "}
2s s {"x": "-1.5e3"}
3s s {"x": true}
4s s {"x": 2.5}
5s s {"x": "0x10"}
6s s {"x": ""}
7s s {"x": "1,5"}
8s s {"x": null}
9s s {"x": []}
10s s {"x": ["a"]}
11s s {"x": {"k": 1}}
--- alerts
1s r a=1s {"v": 42}
2s r a=2s {"v": -1500}
3s r a=3s {"v": 1}
4s r a=4s {"v": 2.5}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}
9s r a=9s {"v": null}
10s r a=10s {"v": null}
11s r a=11s {"v": null}

=== string
--- rule
rule r { match { a: s } emit { v = string(x) } }
--- events
1s s {"x": 42}
2s s {"x": 1.5}
3s s {"x": true}
4s s {"x": "a"}
5s s {"x": null}
6s s {"x": []}
7s s {"x": ["a"]}
8s s {"x": {"k": 1}}
--- alerts
1s r a=1s {"v": "42"}
2s r a=2s {"v": "1.5"}
3s r a=3s {"v": "true"}
4s r a=4s {"v": "a"}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== string: of a duration
--- rule
rule r { match { a: s } emit { v = string(time() - time() + 90m) } }
--- events
1s s {"x": 1}
--- alerts
1s r a=1s {"v": "1h30m"}

=== abs
--- rule
rule r { match { a: s } emit { v = abs(x) } }
--- events
1s s {"x": -2}
2s s {"x": 2.5}
3s s {"x": 0}
4s s {"x": "-2"}
5s s {"x": null}
--- alerts
1s r a=1s {"v": 2}
2s r a=2s {"v": 2.5}
3s r a=3s {"v": 0}
4s r a=4s {"v": null}
5s r a=5s {"v": null}

=== floor
--- rule
rule r { match { a: s } emit { v = floor(x) } }
--- events
1s s {"x": 2.5}
2s s {"x": -2.5}
3s s {"x": 7}
4s s {"x": 1e+300}
5s s {"x": -0.5}
6s s {"x": "2.5"}
7s s {"x": true}
8s s {"x": null}
--- alerts
1s r a=1s {"v": 2}
2s r a=2s {"v": -3}
3s r a=3s {"v": 7}
4s r a=4s {"v": 1e+300}
5s r a=5s {"v": -1}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== ceil
--- rule
rule r { match { a: s } emit { v = ceil(x) } }
--- events
1s s {"x": 2.5}
2s s {"x": -2.5}
3s s {"x": 7}
4s s {"x": -0.5}
5s s {"x": "2.5"}
6s s {"x": [2.5]}
7s s {"x": null}
--- alerts
1s r a=1s {"v": 3}
2s r a=2s {"v": -2}
3s r a=3s {"v": 7}
4s r a=4s {"v": 0}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}

=== round
--- rule
rule r { match { a: s } emit { v = round(x) } }
--- events
1s s {"x": 2.5}
2s s {"x": -2.5}
3s s {"x": 2.4999}
4s s {"x": 7}
5s s {"x": 0.49999999999999994}
6s s {"x": 1e+300}
7s s {"x": "2"}
8s s {"x": null}
--- alerts
1s r a=1s {"v": 3}
2s r a=2s {"v": -3}
3s r a=3s {"v": 2}
4s r a=4s {"v": 7}
5s r a=5s {"v": 0}
6s r a=6s {"v": 1e+300}
7s r a=7s {"v": null}
8s r a=8s {"v": null}

=== round: to digits
--- rule
rule r { match { a: s } emit { v = round(x, n) } }
--- events
1s s {"x": 1.25, "n": 1}
2s s {"x": -1.25, "n": 1}
3s s {"x": 1234.5678, "n": 2}
4s s {"x": 1234.5678, "n": -2}
5s s {"x": 1250, "n": -2}
6s s {"x": -1250, "n": -2}
7s s {"x": 1249, "n": -2}
8s s {"x": 9223372036854775807, "n": -1}
9s s {"x": 5, "n": 3}
10s s {"x": -0.04, "n": 1}
11s s {"x": 1e+300, "n": 5}
12s s {"x": 1.5, "n": 16}
13s s {"x": 1.5, "n": 0.5}
14s s {"x": 1.5, "n": "1"}
--- alerts
1s r a=1s {"v": 1.3}
2s r a=2s {"v": -1.3}
3s r a=3s {"v": 1234.57}
4s r a=4s {"v": 1200}
5s r a=5s {"v": 1300}
6s r a=6s {"v": -1300}
7s r a=7s {"v": 1200}
8s r a=8s {"v": 9.223372036854776e+18}
9s r a=9s {"v": 5}
10s r a=10s {"v": 0}
11s r a=11s {"v": 1e+300}
12s r a=12s {"v": null}
13s r a=13s {"v": null}
14s r a=14s {"v": null}

=== least
--- rule
rule r { match { a: s } emit { v = least(x, y, 5) } }
--- events
1s s {"x": 3, "y": 4}
2s s {"x": 9, "y": 5.5}
3s s {"x": 9223372036854775807, "y": -9223372036854775808}
4s s {"x": "a", "y": 1}
5s s {"x": 1}
6s s {"x": [1], "y": 2}
7s s {"x": true, "y": 2}
--- alerts
1s r a=1s {"v": 3}
2s r a=2s {"v": 5}
3s r a=3s {"v": -9223372036854775808}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}

=== least: of texts
--- rule
rule r { match { a: s } emit { v = least(x, "b", "B") } }
--- events
1s s {"x": "a"}
2s s {"x": "A"}
3s s {"x": 1}
--- alerts
1s r a=1s {"v": "B"}
2s r a=2s {"v": "A"}
3s r a=3s {"v": null}

=== greatest
--- rule
rule r { match { a: s } emit { v = greatest(x, y) } }
--- events
1s s {"x": 3, "y": 4}
2s s {"x": 2, "y": 2.5}
3s s {"x": "a", "y": "b"}
4s s {"x": "a", "y": 1}
5s s {"x": true, "y": true}
6s s {"x": 1}
--- alerts
1s r a=1s {"v": 4}
2s r a=2s {"v": 2.5}
3s r a=3s {"v": "b"}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}

=== greatest: of durations
--- rule
rule r { match { a: s } emit { v = seconds(greatest(30s, time() - time(), 1m)) } }
--- events
1s s {"x": 1}
--- alerts
1s r a=1s {"v": 60}

=== least: of what is never one type
--- rule
rule r { match { a: s where least(x, "a", 1) == 1 } }
--- error-like
`least` cannot compare a text with a number

=== if
--- rule
rule r { match { a: s } emit { v = if(x > 1, "big", y) } }
--- events
1s s {"x": 2}
2s s {"x": 1, "y": "small"}
3s s {"x": "2"}
4s s {"y": 7}
--- alerts
1s r a=1s {"v": "big"}
2s r a=2s {"v": "small"}
3s r a=3s {"v": null}
4s r a=4s {"v": 7}

=== seconds
--- rule
rule r { match { a: s } emit { v = seconds(time() - time() + 1500ms) } }
--- events
1s s {"x": 1}
--- alerts
1s r a=1s {"v": 1.5}

=== cidr_match
--- rule
rule r { match { a: s } emit { v = cidr_match(x, "10.0.0.0/8", "2001:db8::/32") } }
--- events
1s s {"x": "10.1.2.3"}
2s s {"x": "11.1.2.3"}
3s s {"x": "2001:db8::1"}
4s s {"x": "::ffff:10.0.0.1"}
5s s {"x": "nonsense"}
6s s {"x": 10}
7s s {"x": null}
--- alerts
1s r a=1s {"v": true}
2s r a=2s {"v": false}
3s r a=3s {"v": true}
4s r a=4s {"v": true}
5s r a=5s {"v": false}
6s r a=6s {"v": false}
7s r a=7s {"v": false}

=== geo_distance_km
--- rule
rule r { match { a: s } emit { v = round(geo_distance_km(x, y, z, w), 1) } }
--- events
1s s {"x": 0, "y": 0, "z": 0, "w": 180}
2s s {"x": 48.8566, "y": 2.3522, "z": 40.7128, "w": -74.006}
3s s {"x": 90, "y": 0, "z": -90, "w": 0}
4s s {"x": 1.5, "y": 2, "z": 1.5, "w": 2}
5s s {"x": 0, "y": 179.5, "z": 0, "w": -179.5}
6s s {"x": 90.1, "y": 0, "z": 0, "w": 0}
7s s {"x": 0, "y": 180.1, "z": 0, "w": 0}
8s s {"x": "0", "y": 0, "z": 0, "w": 0}
9s s {"x": 0, "y": 0, "z": 0}
--- alerts
1s r a=1s {"v": 20015.1}
2s r a=2s {"v": 5837.2}
3s r a=3s {"v": 20015.1}
4s r a=4s {"v": 0}
5s r a=5s {"v": 111.2}
6s r a=6s {"v": null}
7s r a=7s {"v": null}
8s r a=8s {"v": null}
9s r a=9s {"v": null}

=== hour
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = hour(t(x)) } }
--- events
1s s {"x": "2027-01-01T23:59:59.999Z"}
2s s {"x": "2027-01-01T00:00:00+01:00"}
3s s {"x": "1969-12-31T23:00:00Z"}
4s s {"x": "nonsense"}
5s s {"x": null}
--- alerts
1s r a=1s {"v": 23}
2s r a=2s {"v": 23}
3s r a=3s {"v": 23}
4s r a=4s {"v": null}
5s r a=5s {"v": null}

=== hour: in a zone
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = hour(t(x), "Europe/Paris") } }
--- events
1s s {"x": "2027-07-01T22:30:00Z"}
2s s {"x": "2027-01-01T22:30:00Z"}
3s s {"x": "2027-03-28T00:59:59Z"}
4s s {"x": "2027-03-28T01:00:00Z"}
5s s {"x": "2027-10-31T00:30:00Z"}
6s s {"x": "2027-10-31T01:30:00Z"}
--- alerts
1s r a=1s {"v": 0}
2s r a=2s {"v": 23}
3s r a=3s {"v": 1}
4s r a=4s {"v": 3}
5s r a=5s {"v": 2}
6s r a=6s {"v": 2}

=== hour: zones of half hours, and far times
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = hour(t(x), "Asia/Kolkata") } }
--- events
1s s {"x": "2027-01-01T18:29:59Z"}
2s s {"x": "2027-01-01T18:30:00Z"}
3s s {"x": "2200-01-01T18:30:00Z"}
--- alerts
1s r a=1s {"v": 23}
2s r a=2s {"v": 0}
3s r a=3s {"v": 0}

=== hour: of a field
--- rule
rule r { match { a: s where hour(ts) > 5 } }
--- error-like
`hour` takes a time here, this is a field

=== hour: an unknown zone
--- rule
rule r { match { a: s where hour(time(), "Europe/Pari") > 5 } }
--- error-like
there is no time zone `Europe/Pari`

=== hour: a zone is no path
--- rule
rule r { match { a: s where hour(time(), "../../etc/passwd") > 5 } }
--- error-like
there is no time zone

=== hour: a zone is constant
--- rule
rule r { match { a: s where hour(time(), zone) > 5 } }
--- error-like
`hour` needs a constant text here

=== weekday
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = weekday(t(x)) } }
--- events
1s s {"x": "2027-01-01T00:00:00Z"}
2s s {"x": "2027-01-03T23:59:59Z"}
3s s {"x": "2027-01-04T00:00:00Z"}
4s s {"x": "1969-12-31T00:00:00Z"}
5s s {"x": "x"}
--- alerts
1s r a=1s {"v": 5}
2s r a=2s {"v": 7}
3s r a=3s {"v": 1}
4s r a=4s {"v": 3}
5s r a=5s {"v": null}

=== weekday: in a zone
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = weekday(t(x), "America/New_York") } }
--- events
1s s {"x": "2027-01-04T04:59:59Z"}
2s s {"x": "2027-01-04T05:00:00Z"}
--- alerts
1s r a=1s {"v": 7}
2s r a=2s {"v": 1}

=== date_trunc: to the second
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("second", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-08-19T15:44:59Z"}

=== date_trunc: to the minute
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("minute", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-08-19T15:44:00Z"}

=== date_trunc: to the hour
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("hour", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-08-19T15:00:00Z"}

=== date_trunc: to the day
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("day", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-08-19T00:00:00Z"}

=== date_trunc: to the week
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("week", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
2s s {"x": "2027-08-16T00:00:00Z"}
3s s {"x": "2027-08-22T23:59:59Z"}
4s s {"x": "1969-12-31T12:00:00Z"}
--- alerts
1s r a=1s {"v": "2027-08-16T00:00:00Z"}
2s r a=2s {"v": "2027-08-16T00:00:00Z"}
3s r a=3s {"v": "2027-08-16T00:00:00Z"}
4s r a=4s {"v": "1969-12-29T00:00:00Z"}

=== date_trunc: to the month
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("month", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-08-01T00:00:00Z"}

=== date_trunc: to the quarter
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("quarter", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-07-01T00:00:00Z"}

=== date_trunc: to the year
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("year", t(x)) } }
--- events
1s s {"x": "2027-08-19T15:44:59.123Z"}
--- alerts
1s r a=1s {"v": "2027-01-01T00:00:00Z"}

=== date_trunc: a day in a zone
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("day", t(x), "Europe/Paris") } }
--- events
1s s {"x": "2027-03-28T12:00:00Z"}
2s s {"x": "2027-03-29T12:00:00Z"}
3s s {"x": "2027-10-31T23:00:00Z"}
4s s {"x": "2027-10-31T22:59:59Z"}
--- alerts
1s r a=1s {"v": "2027-03-27T23:00:00Z"}
2s r a=2s {"v": "2027-03-28T22:00:00Z"}
3s r a=3s {"v": "2027-10-31T23:00:00Z"}
4s r a=4s {"v": "2027-10-30T22:00:00Z"}

=== date_trunc: a month in a zone
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("month", t(x), "America/New_York") } }
--- events
1s s {"x": "2027-04-01T03:59:59Z"}
2s s {"x": "2027-04-01T04:00:00Z"}
--- alerts
1s r a=1s {"v": "2027-03-01T05:00:00Z"}
2s r a=2s {"v": "2027-04-01T04:00:00Z"}

=== date_trunc: an hour that comes twice
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("hour", t(x), "Europe/Paris") } }
--- events
1s s {"x": "2027-10-31T00:30:00Z"}
2s s {"x": "2027-10-31T01:30:00Z"}
--- alerts
1s r a=1s {"v": "2027-10-31T00:00:00Z"}
2s r a=2s {"v": "2027-10-31T01:00:00Z"}

=== date_trunc: half an hour that comes twice
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("hour", t(x), "Australia/Lord_Howe") } }
--- events
1s s {"x": "2027-04-03T14:45:00Z"}
2s s {"x": "2027-04-03T15:15:00Z"}
3s s {"x": "2027-04-03T15:30:00Z"}
--- alerts
1s r a=1s {"v": "2027-04-03T14:00:00Z"}
2s r a=2s {"v": "2027-04-03T14:00:00Z"}
3s r a=3s {"v": "2027-04-03T15:30:00Z"}

=== date_trunc: a midnight that comes twice
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("day", t(x), "America/Havana") } }
--- events
1s s {"x": "2027-11-07T04:30:00Z"}
2s s {"x": "2027-11-07T05:30:00Z"}
--- alerts
1s r a=1s {"v": "2027-11-07T04:00:00Z"}
2s r a=2s {"v": "2027-11-07T04:00:00Z"}

=== date_trunc: a midnight that is left out
--- rule
def t(x) = parse_time(x, "rfc3339")
rule r { match { a: s } emit { v = date_trunc("day", t(x), "America/Havana") } }
--- events
1s s {"x": "2027-03-14T12:00:00Z"}
--- alerts
1s r a=1s {"v": "2027-03-14T05:00:00Z"}

=== date_trunc: of the event itself
--- rule
rule r { match { a: s } emit { v = seconds(time() - date_trunc("minute", time() + 61s)) } }
--- events
1s s {"x": 1}
--- alerts
1s r a=1s {"v": -59}

=== date_trunc: an unknown unit
--- rule
rule r { match { a: s where date_trunc("hours", time()) < 2027-01-01 } }
--- error-like
`hours` is no unit

=== date_trunc: the unit comes first
--- rule
rule r { match { a: s where date_trunc(time(), "hour") < 2027-01-01 } }
--- error-like
`date_trunc` takes a text here, this is a time

=== parse_time: rfc3339
--- rule
rule r { match { a: s } emit { v = parse_time(x, 'rfc3339') } }
--- events
1s s {"x": "2027-01-01T00:00:00+01:00"}
2s s {"x": "2027-01-01T00:00:00"}
3s s {"x": 5}
4s s {"x": null}
5s s {"x": []}
6s s {"x": ["a"]}
7s s {"x": {"k": 1}}
--- alerts
1s r a=1s {"v": "2026-12-31T23:00:00Z"}
2s r a=2s {"v": null}
3s r a=3s {"v": null}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}

=== parse_time: epoch_ms
--- rule
rule r { match { a: s } emit { v = parse_time(x, 'epoch_ms') } }
--- events
1s s {"x": 1800000000500}
2s s {"x": "1800000000500"}
3s s {"x": "2027-01-01T00:00:00Z"}
4s s {"x": true}
5s s {"x": 1e+300}
--- alerts
1s r a=1s {"v": "2027-01-15T08:00:00.500Z"}
2s r a=2s {"v": "2027-01-15T08:00:00.500Z"}
3s r a=3s {"v": null}
4s r a=4s {"v": null}
5s r a=5s {"v": null}

=== parse_time: epoch_s
--- rule
rule r { match { a: s } emit { v = parse_time(x, 'epoch_s') } }
--- events
1s s {"x": -1}
2s s {"x": 0.5}
--- alerts
1s r a=1s {"v": "1969-12-31T23:59:59Z"}
2s r a=2s {"v": "1970-01-01T00:00:00.500Z"}

=== parse_time: datetime
--- rule
rule r { match { a: s } emit { v = parse_time(x, 'datetime') } }
--- events
1s s {"x": "2027-07-01 12:00:00"}
--- alerts
1s r a=1s {"v": "2027-07-01T12:00:00Z"}

=== parse_time: datetime in a zone
--- rule
rule r { match { a: s } emit { v = parse_time(x, 'datetime', "Europe/Paris") } }
--- events
1s s {"x": "2027-07-01 12:00:00.25"}
2s s {"x": "2027-03-28 02:30:00"}
3s s {"x": "2027-10-31 02:30:00"}
--- alerts
1s r a=1s {"v": "2027-07-01T10:00:00.250Z"}
2s r a=2s {"v": "2027-03-28T01:00:00Z"}
3s r a=3s {"v": "2027-10-31T00:30:00Z"}

=== parse_time: %d/%b/%Y:%H:%M:%S %z
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%d/%b/%Y:%H:%M:%S %z') } }
--- events
1s s {"x": "10/Oct/2026:13:55:36 -0700"}
2s s {"x": "1/jan/2027:0:00:00 Z"}
3s s {"x": "10/Okt/2026:13:55:36 -0700"}
4s s {"x": "10/Oct/2026:13:55:36"}
5s s {"x": "10/Oct/2026:13:55:36 -0700 "}
6s s {"x": "10/Oct/2026:24:00:00 Z"}
7s s {"x": "31/Nov/2026:10:00:00 Z"}
--- alerts
1s r a=1s {"v": "2026-10-10T20:55:36Z"}
2s r a=2s {"v": "2027-01-01T00:00:00Z"}
3s r a=3s {"v": null}
4s r a=4s {"v": null}
5s r a=5s {"v": null}
6s r a=6s {"v": null}
7s r a=7s {"v": null}

=== parse_time: %Y%m%d%H%M%S%f
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%Y%m%d%H%M%S%f') } }
--- events
1s s {"x": "20270131123456789"}
2s s {"x": "20270131123460000000000"}
3s s {"x": "2027"}
--- alerts
1s r a=1s {"v": "2027-01-31T12:34:56.789Z"}
2s r a=2s {"v": "2027-01-31T12:35:00Z"}
3s r a=3s {"v": null}

=== parse_time: %Y-%j
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%Y-%j') } }
--- events
1s s {"x": "2028-366"}
2s s {"x": "2027-366"}
3s s {"x": "2027-1"}
4s s {"x": "2027-0"}
--- alerts
1s r a=1s {"v": "2028-12-31T00:00:00Z"}
2s r a=2s {"v": null}
3s r a=3s {"v": "2027-01-01T00:00:00Z"}
4s r a=4s {"v": null}

=== parse_time: %s.%f
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%s.%f') } }
--- events
1s s {"x": "-1.5"}
2s s {"x": "1800000000.000000001"}
3s s {"x": "99999999999.0"}
4s s {"x": "1"}
--- alerts
1s r a=1s {"v": "1969-12-31T23:59:58.500Z"}
2s r a=2s {"v": "2027-01-15T08:00:00.000000001Z"}
3s r a=3s {"v": null}
4s r a=4s {"v": null}

=== parse_time: %m/%d/%Y %H:%M 100%%
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%m/%d/%Y %H:%M 100%%') } }
--- events
1s s {"x": "2/29/2028   8:05 100%"}
2s s {"x": "2/29/2027 8:05 100%"}
3s s {"x": "2/28/20278:05 100%"}
--- alerts
1s r a=1s {"v": "2028-02-29T08:05:00Z"}
2s r a=2s {"v": null}
3s r a=3s {"v": null}

=== parse_time: %Y-%m-%d in a zone
--- rule
rule r { match { a: s } emit { v = parse_time(x, '%Y-%m-%d', "America/New_York") } }
--- events
1s s {"x": "2027-07-01"}
--- alerts
1s r a=1s {"v": "2027-07-01T04:00:00Z"}

=== parse_time: bad format %Y-%m-%d %Q
--- rule
rule r { match { a: s where parse_time(x, '%Y-%m-%d %Q') < 2027-01-01 } }
--- error-like
a time format has no `%Q`

=== parse_time: bad format %H:%M
--- rule
rule r { match { a: s where parse_time(x, '%H:%M') < 2027-01-01 } }
--- error-like
a time without a year (`%Y`) is none

=== parse_time: bad format %Y-%m
--- rule
rule r { match { a: s where parse_time(x, '%Y-%m') < 2027-01-01 } }
--- error-like
the date needs a month

=== parse_time: bad format %Y-%m-%d %M
--- rule
rule r { match { a: s where parse_time(x, '%Y-%m-%d %M') < 2027-01-01 } }
--- error-like
`%M` needs `%H`

=== parse_time: bad format %Y-%m-%d %Y
--- rule
rule r { match { a: s where parse_time(x, '%Y-%m-%d %Y') < 2027-01-01 } }
--- error-like
`%Y` stands there twice

=== parse_time: bad format %s %Y
--- rule
rule r { match { a: s where parse_time(x, '%s %Y') < 2027-01-01 } }
--- error-like
`%s` stands for the whole time

=== parse_time: bad format rfc339
--- rule
rule r { match { a: s where parse_time(x, 'rfc339') < 2027-01-01 } }
--- error-like
`rfc339` is no time format

=== parse_time: bad format %Y-%m-%d %
--- rule
rule r { match { a: s where parse_time(x, '%Y-%m-%d %') < 2027-01-01 } }
--- error-like
a time format has no `%`

=== parse_time: an empty format
--- rule
rule r { match { a: s where parse_time(x, '') < 2027-01-01 } }
--- error-like
is no time format

=== parse_time: a zone beside an offset
--- rule
rule r { match { a: s where parse_time(x, "rfc3339", "Europe/Paris") < 2027-01-01 } }
--- error-like
no zone is needed

=== parse_time: a format is constant
--- rule
rule r { match { a: s where parse_time(x, fmt) < 2027-01-01 } }
--- error-like
`parse_time` needs a constant text here

=== time
--- rule
rule r { match within 10s { a: s where x == 1  b: s where time() - time(a) > 1s } emit { v = time(b) - time(a)  w = time(a) } }
--- events
1s s {"x":1}
2s s
3s s
--- alerts
3s r a=1s b=3s {"v":2, "w":"2027-01-01T00:00:01Z"}

=== stream
--- rule
stream u = s, t
rule r { match within 10s { a: u  b: t where stream(a) == "u" } emit { v = stream(a)  w = stream(b) } }
--- events
1s s
2s t
--- alerts
2s r a=1s b=2s {"v":"u", "w":"t"}

=== exists
--- rule
rule r { match within 10s { a: s where x == 1  b?: t  c: s where x == 2 } emit { v = exists(b)  w = exists(c.y) } }
--- events
1s s {"x":1}
2s s {"x":2, "y":null}
3s s {"x":1}
4s t
5s s {"x":2, "y":0}
--- alerts
2s r a=1s c=2s {"v":false, "w":false}
5s r a=3s b=4s c=5s {"v":true, "w":true}
