# Functions that create certificates and tokens in the directory $credentials. Sourced by other scripts.

# Creates FILE.key and FILE.pem, a certificate of NAME: self-signed, unless the arguments say otherwise.
certificate() { # NAME FILE [OPENSSL ARGUMENTS]
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
    -keyout "$credentials/$2.key" -out "$credentials/$2.pem" "${@:3}" 2>"$credentials/openssl" ||
    { cat "$credentials/openssl"; exit 1; }
}

# Creates a certificate of NAME, which is signed by the authority.
signed_certificate() { # NAME FILE [SUBJECT-ALTERNATIVE-NAME]
  certificate "$1" "$2" -addext basicConstraints=critical,CA:FALSE -addext "subjectAltName=DNS:$1${3:+,DNS:$3}" \
    -CA "$credentials/authority.pem" -CAkey "$credentials/authority.key"
}

base64url() { base64 -w 0 | tr '+/' '-_' | tr -d '='; }

# Prints a token of ROLE, which expires after an hour, or at END.
token() { # ROLE [KEY [END]]
  local signed
  signed=$(printf '{"alg":"EdDSA","kid":"one"}' | base64url).$(printf \
    '{"iss":"https://id.example.com","aud":"marquee","sub":"%s","role":"%s","exp":%d}' "$1" "$1" \
    "${3:-$(($(date +%s) + 3600))}" | base64url)
  printf %s "$signed" >"$credentials/signed"
  printf '%s.%s\n' "$signed" "$(openssl pkeyutl -sign -rawin -inkey "$credentials/${2:-issuer.key}" \
    -in "$credentials/signed" | base64url)"
}

# Creates the certificates of an authority and of the server HOST, the keys of a token issuer, and ROLE.token.
create_credentials() { # HOST ROLE...
  local role
  certificate authority authority
  if [ "$1" = localhost ]; then signed_certificate localhost server; else signed_certificate "$1" server localhost; fi
  openssl genpkey -algorithm ed25519 -out "$credentials/issuer.key"
  cat >"$credentials/keys.json" <<END
{"keys": [{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "one",
  "x": "$(openssl pkey -in "$credentials/issuer.key" -pubout -outform DER | tail -c 32 | base64url)"}]}
END
  for role in "${@:2}"; do token "$role" >"$credentials/$role.token"; done
}

# Prints an access policy with the tokens of an operator, a provider and a display, and with RULES.
access_policy() { # [RULE...]
  cat <<END
tokens: [{issuer: "https://id.example.com", audience: marquee, keys: keys.json}]
rules:
  - {token: {iss: "https://id.example.com", role: operator}, role: operator}
  - {token: {iss: "https://id.example.com", role: provider}, role: provider, apps: [com.example.weather]}
  - {token: {iss: "https://id.example.com", role: display}, role: display, devices: [kitchen]}
END
  [ $# = 0 ] || printf '  - %s\n' "$@"
}
