# SPDX-License-Identifier: Apache-2.0
# config show: each setting that is in force, with where it stands, and no secret.
. "$top_srcdir/tests/functions.sh"
: "${CC:=cc}"
skip_unless_command "${CC%% *}"
skip_unless_command python3
cd "$tmp" || exit 99
tmp=$(pwd -P)

show ()
{
  status=0
  "$AKSANDBOX" config show "$@" >out 2>err || status=$?
}

# Rows of a profile: s["policy.timeout"] is [value, origin], o the whole.
value ()
{
  python3 -c 'import json, sys
text = open("out", "rb").read()
assert text.endswith(b"\n") and text.count(b"\n") == 1, text
o = json.loads(text.decode("utf-8"))
rows = lambda x: {r["key"]: [r["value"], r["origin"]] for r in x}
g = rows(o["settings"])
p = {x["name"]: x for x in o["profiles"]}
s = {n: rows(x["settings"]) for n, x in p.items()}
i = {n: rows(x["options"]) for n, x in p.items()}
r = eval(sys.argv[1])
print(r if isinstance(r, str) else ascii(r))' "$1" 2>&1
}

# --- nobody wrote anything
show --json
is "without a configuration all is built-in" \
  "$status:$(value '[o["file"], sorted(set(r["origin"] for x in [o["settings"]] + [p["default"]["settings"]] for r in x))]')" \
  "0:[None, ['built-in']]"
is "and the network denied" "$(value 's["default"]["policy.network_egress"]')" "['deny', 'built-in']"

# --- a file
cat >one.yaml <<'END'
sandbox:
  enabled: true
  default_profile: a
  tool_output_max_chars: 5000
  profiles:
    a:
      type: local_subprocess
      idle_timeout: 0
      policy:
        timeout: 2.5
        cpu: 0.25
        memory_mb: 512
        network_egress: allowlist
        network_allow: [pypi.org, 10.0.0.0/8]
        strict: false
      local_subprocess:
        nofile: 64
        env: {TOKEN: abc123, DB: "postgres://u:abc123@h", N: 4711}
    b:
      type: acme.absent:hidden
      params: {image: abc123}
END
show --json --config one.yaml
f=$tmp/one.yaml
is "a file" "$status:$(value 'o["file"]')$(cat err)" "0:$f"
is "its own settings" "$(value 'g["enabled"], g["default_profile"], g["tool_output_max_chars"], g["plugin_path"]')" \
  "([True, '$f:2'], ['a', '$f:3'], [5000, '$f:4'], [[], 'default'])"
is "its profiles" "$(value '[list(p), p["a"]["where"], p["a"]["problem"]]')" "[['a', 'b'], '$f:6', None]"
is "what a profile says" "$(value '[s["a"]["policy." + k] for k in ("timeout", "cpu", "memory_mb", "network_egress", "network_allow", "strict")]')" \
  "[[2.5, '$f:10'], [0.25, '$f:11'], [512, '$f:12'], ['allowlist', '$f:13'], [['pypi.org', '10.0.0.0/8'], '$f:14'], [False, '$f:15']]"
is "zero is a value" "$(value 's["a"]["idle_timeout"]')" "[0, '$f:8']"
is "what it does not say" "$(value '[s["a"][k] for k in ("scope", "environment", "create_timeout", "term_grace", "identity.mode")]')" \
  "[['per_session', 'default'], ['managed', 'default'], [120, 'default'], [0, 'default'], ['agent', 'default']]"
is "not limited is null" "$(value '[s["b"]["policy.cpu"], s["b"]["policy.memory_mb"]]')" "[[None, 'default'], [None, 'default']]"
is "the keys are those of the schema" "$(value 'sorted(s["a"])')" \
  "['create_timeout', 'environment', 'identity.mode', 'idle_timeout', 'policy.cpu', 'policy.fs_allow_read', 'policy.fs_allow_write', 'policy.memory_mb', 'policy.network_allow', 'policy.network_egress', 'policy.strict', 'policy.timeout', 'scope', 'term_grace', 'type']"
is "options are those of the provider" "$(value '[i["a"]["nofile"], i["a"]["namespaces"], i["a"]["nproc"]]')" \
  "[[64, '$f:17'], ['auto', 'default'], [None, 'default']]"
is "of maps only the keys" "$(value 'i["a"]["env"]')" \
  "[{'TOKEN': '***', 'DB': '***', 'N': '***'}, '$f:18']"
is "without its file no option is known" "$(value '[i["b"], p["b"]["problem"][:34]]')" \
  "[{'image': [None, '$f:21']}, \"provider 'hidden' is not installed\"]"
is "no secret in it" "$(grep -c -e abc123 -e 4711 out)" 0
show --config one.yaml
like "for people, too" "$(cat out)" "^  policy.timeout +2.5 +$f:10\$"
like "with the options" "$(cat out)" "^  options.nofile +64 +$f:17\$"
is "no secret in that" "$(grep -c -e abc123 -e 4711 out)" 0

# --- the environment
AK_SANDBOX__PROFILES__A__POLICY__TIMEOUT=7
AK_SANDBOX__PROFILES__A__LOCAL_SUBPROCESS='{"nofile": 99}'
export AK_SANDBOX__PROFILES__A__POLICY__TIMEOUT AK_SANDBOX__PROFILES__A__LOCAL_SUBPROCESS
show --json --config one.yaml
is "what a variable says" "$(value '[s["a"]["policy.timeout"], i["a"]["nofile"], s["a"]["policy.cpu"]]')" \
  "[[7, 'environment variable AK_SANDBOX__PROFILES__A__POLICY__TIMEOUT'], [99, 'environment variable AK_SANDBOX__PROFILES__A__LOCAL_SUBPROCESS'], [0.25, '$f:11']]"
unset AK_SANDBOX__PROFILES__A__POLICY__TIMEOUT AK_SANDBOX__PROFILES__A__LOCAL_SUBPROCESS

# --- secrets of a provider's own kind
mkdir plugins
cat >vault.c <<'END'
#include <aksandbox/provider.h>
static const struct ak_ops ops = { .struct_size = sizeof ops };
AK_OPTION (vault, key_env, AK_T_ENV, 0, 0, AK_KV ("default", "VAULT_KEY"));
AK_OPTION (vault, pin, AK_T_STRING, AK_SECRET, 0, AK_KV ("help", "x"));
AK_OPTION (vault, proxy, AK_T_STRING, 0, 0, AK_KV ("help", "x"));
AK_OPTION (vault, api_token, AK_T_STRING, 0, 0, AK_KV ("help", "x"));
AK_OPTION (vault, note, AK_T_STRING, 0, 0, AK_KV ("help", "x"));
AK_OPTION (vault, body, AK_T_JSON, 0, 0, AK_KV ("help", "x"));
AK_PROVIDER (vault, AK_CAP_SHELL | AK_CAP_EXTERNAL | AK_CAP_ATTACH, AK_TIER_NONE, AK_PARALLEL, &ops,
             AK_KV ("version", "1") AK_KV ("summary", "s") AK_KV ("license", "x") AK_KV ("languages", "python"));
END
$CC -shared -fPIC -w -I"$top_srcdir/sdk/include" -o plugins/acme.vault.so vault.c || exit 99
vault ()
{
  cat >vault.yaml <<END
sandbox:
  enabled: true
  default_profile: v
  plugin_path: [$tmp/plugins]
  profiles:
    v:
      type: acme.vault:vault
      environment: attached
      params:
        attach_to: x-1
        pin: "abc123"
        proxy: http://user:abc123@host
        api_token: abc123
        note: see abc123
        body: {deep: [{auth: abc123}], on: true}
$1
END
}
vault
show --json --config vault.yaml
is "nothing is wrong with it" "$status:$(value 'p["v"]["problem"]')" "0:None"
is "a secret is hidden wherever it stands" \
  "$(value '[i["v"][k][0] for k in ("pin", "proxy", "api_token", "note", "body", "attach_to")]')" \
  "['***', '***', '***', 'see ***', {'deep': [{'auth': '***'}], 'on': True}, 'x-1']"
is "a variable is named, if that is its name" "$(value 'i["v"]["key_env"]')" "['\$VAULT_KEY, which is not set', 'default']"
VAULT_KEY=abc123 "$AKSANDBOX" config show --json --config vault.yaml >out
is "its value is not shown" "$(value 'i["v"]["key_env"]')$(grep -c abc123 out)" "['\$VAULT_KEY', 'default']0"
vault "        key_env: ABC123"
show --json --config vault.yaml
is "what may be the secret itself is not shown" "$(value 'i["v"]["key_env"][0]')$(grep -c ABC123 out)" \
  "a variable that is not set0"

# --- what cannot be read
printf 'sandbox: {enabled: maybe}\n' >bad.yaml
show --config bad.yaml
is "a broken one" "$status:$(cat out)$(sed -n 1p err)" \
  "125:aksandbox: $tmp/bad.yaml:1:20: enabled: must be true or false, not text"
done_testing
