/** The texts that inputs are made from: each has most of what its grammar knows. */
export const CORPUS = {
  challenges: [
    'Bearer realm="x", resource_metadata="https://a.example/.well-known/oauth-protected-resource", scope="a b"',
    'DPoP algs="ES256", error="use_dpop_nonce", Basic realm="a\\"b", Bearer error=invalid_token, error_description="no, \\\\ no"',
    'Negotiate dG9rZW4=, Bearer, Digest qop="auth, auth-int"',
  ],
  headers: ['plain', '=?base64?w6Q=?=', ' leading and trailing ', 'ünïcödé 💥', '=?base64?', '%41\t'],
  frontmatter: [
    '---\nname: tea\ndescription: >-\n  Makes tea\n  well\nlicense: MIT\nmetadata:\n  tags: [a, "b", c]\n  deep:\n    - one\n    - two: 2\n---\nBoil water.',
    "\uFEFF---\r\nname: \"x\\u0041\"\r\nlist:\r\n  - a\r\n  - 'b''c'\r\n---\r\n",
    '---\na: |\n  text\n\n  more\nb: ~\nc: true\nd: 1e3\n---',
  ],
  configs: [
    '{ "mcpServers": { "a": { "command": "npx", "args": ["-y", "x@1.0.0"], "env": { "K": "\u0024{K:-v}" } }, "b": { "url": "https://b.example/mcp", "headers": { "A": "\u0024{input:t}" } } } }',
    '// words\n{ "servers": { "a": { "type": "stdio", "command": "x", }, }, "inputs": [{ "id": "t", "type": "promptString", "password": true }] }',
    '[mcp_servers.a]\ncommand = "x"\nargs = ["a", \'b\']\n[mcp_servers.a.env]\nK = "v"\n',
    'extensions:\n  a:\n    type: stdio\n    cmd: x\n    args: [a, b]\n    envs: {K: v}\n',
  ],
  rules: [
    '{ "rules": [{ "id": "a", "outcome": "allow", "effect": ["call"], "server": "s*", "tool": "read_*" }, { "id": "b", "outcome": "ask", "when": { "arguments": { "path": "/tmp/**" } } }] }',
    '[{ "id": "c", "outcome": "deny", "cedar": "context.tainted && principal in Role::\\"x\\"" }]',
  ],
  statements: [
    "SELECT a, 'it''s' FROM \"t\" WHERE b = $1 -- end\n;",
    'WITH x AS (SELECT 1) /* a /* b */ c */ SELECT * FROM x',
    "SELECT $tag$ ; DROP TABLE t $tag$, E'a\\'b' FROM [t] `u`",
    '/*!50000 DELETE FROM t */ EXPLAIN SELECT 1; SHOW GRANTS',
    'INSERT INTO t VALUES (U&"\\0041")',
  ],
} as const
