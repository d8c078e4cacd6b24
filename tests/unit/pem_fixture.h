// SPDX-License-Identifier: Apache-2.0
/* A certificate, its key, another key, and the key behind a passphrase in its two forms: of tests alone. */
#ifndef UNIT_PEM_FIXTURE_H
#define UNIT_PEM_FIXTURE_H

static const char PEM_CERTIFICATE[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdTCCARugAwIBAgIUfmZrjnL+wtfp+jvtTZlbsTRGjeAwCgYIKoZIzj0EAwIw\n"
    "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAwMzAwNDJaGA8yMTI2MTEwNjAzMDA0\n"
    "MlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKtZ\n"
    "E0gYwzExRo2FDLO8Nb3/sG395/LcgpuV6BsiqV36xwW1L1eVCvItxao6D97LXMMI\n"
    "qD12hohcnVprqZ/4FKGjUzBRMB0GA1UdDgQWBBRqlTIJWN+C8OoUCqKZhkoCa2gn\n"
    "8zAfBgNVHSMEGDAWgBRqlTIJWN+C8OoUCqKZhkoCa2gn8zAPBgNVHRMBAf8EBTAD\n"
    "AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDhW+14McaMjl135Z1XHdavIaIDxoxRQhp+\n"
    "M2wrYRxDlgIgOp28v7ZYZ/udcdci3BxHOvINjYhyZ8IQnvBrqLOV/M0=\n"
    "-----END CERTIFICATE-----\n";
static const char PEM_KEY[] =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEID2nPqz/PkGiT3xOPZoXfSJ/Uo9b9u2fBDaxIZPMNhR9oAoGCCqGSM49\n"
    "AwEHoUQDQgAEq1kTSBjDMTFGjYUMs7w1vf+wbf3n8tyCm5XoGyKpXfrHBbUvV5UK\n"
    "8i3FqjoP3stcwwioPXaGiFydWmupn/gUoQ==\n"
    "-----END EC PRIVATE KEY-----\n";
static const char PEM_OTHER_KEY[] =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIGWH508rJzu3u0UmqTVNSKPGt2XcLpNjTCF6ExgIxYYGoAoGCCqGSM49\n"
    "AwEHoUQDQgAEFvLCqNUWrB6Z+yovsmobxcE0gGN7hYX+pUHI+SoovC3d5qVmke8c\n"
    "IOukmvPYGMOQ0JHuq/+swDA5tXcswKZufw==\n"
    "-----END EC PRIVATE KEY-----\n";
static const char PEM_LOCKED_KEY[] =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,516670258C874286EC63B1A25402C3B0\n"
    "\n"
    "Pjnw6ik+RNj3ecX62qxhh7NVktk4gvlxXnVdWVhd/R5LsA6wpfSzwgcabnCIF1+x\n"
    "F5SSTak6m3AI5w/iPmmkxm0oQbeSxTf9CW1CD/9h81cGB5eAx5fZcvyF0AUn6HGC\n"
    "vxHAqYqODXVx+Vsh4QRyh5yHfN1yLx1gYQKKvhCkJxI=\n"
    "-----END EC PRIVATE KEY-----\n";
static const char PEM_LOCKED_KEY_PKCS8[] =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiDpOTNbqHAXwICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEL69HhIbI3dft1NVRW2OMY0EgZB2\n"
    "zsjf2bKRlQ2kyp36dnA7lTiYphPBH/piGkwd8CDy1uNFCHMIfwYEFPJxN90ootLd\n"
    "mBcg2t5SRWpLy1MxcXQDIeb+1sZ3WLK6hJQLShrqHaB+VXue/miulcOtGV/QJ1pH\n"
    "MvUl5Hr/PSIh4dlCHkFycsLOaWRZNi3DyihKBA0qgakpJIw6Nb5hf/SBvmqR3QU=\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

#endif
