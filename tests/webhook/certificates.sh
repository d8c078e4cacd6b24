#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the keys and certificates of the tests of webhooks, with the openssl command:
#
#   sh certificates.sh DIRECTORY
#
#   ca.pem, other-ca.pem       two authorities
#   server.pem server.key      of localhost and 127.0.0.1, by ca.pem
#   wrong.pem                  of another name         expired.pem    over since 2021       (the same key)
#   self.pem                   signed by itself
#   client.pem client.key      of a client, by ca.pem  stranger.pem   by other-ca.pem       (the same key)
#   locked.key                 client.key behind a passphrase

set -eu
cd "$1"

for name in ca other-ca server client; do
    openssl ecparam -name prime256v1 -genkey -noout -out "$name.key"
done
for name in ca other-ca; do
    openssl req -x509 -new -key "$name.key" -subj "/CN=$name" -days 3650 -out "$name.pem" \
        -addext basicConstraints=critical,CA:TRUE
done
: >index.txt
cat >ca.conf <<'EOF'
[ca]
default_ca = it
[it]
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
EOF

# certify CA KEY NAME-OF-FILE COMMON-NAME ALTERNATIVE-NAMES START END
certify() {
    openssl req -new -key "$2.key" -subj "/CN=$4" -addext "subjectAltName=$5" -out request.pem
    openssl ca -batch -notext -config ca.conf -cert "$1.pem" -keyfile "$1.key" -in request.pem \
        -out "$3.pem" -startdate "$6" -enddate "$7" 2>openssl.log || { cat openssl.log; exit 1; }
}
certify ca server server localhost DNS:localhost,IP:127.0.0.1 20200101000000Z 20990101000000Z
certify ca server wrong elsewhere.test DNS:elsewhere.test 20200101000000Z 20990101000000Z
certify ca server expired localhost DNS:localhost,IP:127.0.0.1 20200101000000Z 20210101000000Z
certify ca client client client DNS:client.test 20200101000000Z 20990101000000Z
certify other-ca client stranger client DNS:client.test 20200101000000Z 20990101000000Z
openssl req -x509 -new -key server.key -subj /CN=localhost -days 3650 -out self.pem \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1
openssl ec -in client.key -aes128 -passout pass:locked -out locked.key 2>/dev/null
