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
  kept: [
    '{"version":1,"grants":[{"id":"g1","action":"allow","remember":"always","kind":"call","server":"s","breadth":"item","item":"t","at":1},{"id":"g2","action":"deny","remember":"workspace","workspace":"/w","kind":"flow","server":"s","breadth":"server","from":["a"],"at":2}]}',
    '{"pinsVersion":1,"servers":{"s":{"tool t":{"approved":{"fingerprint":"f","meaning":{"description":"d"},"at":1,"by":"person","whole":true},"present":true,"since":1},"identity name":{"pending":{"fingerprint":"g","meaning":{"name":"n"},"since":2},"present":false}}}}',
  ],
  rules: [
    '{ "rules": [{ "id": "a", "outcome": "allow", "effect": ["call"], "server": "s*", "item": "read_*" }, { "id": "b", "outcome": "ask", "arguments": { "path": { "glob": "/tmp/**" } } }] }',
    '[{ "id": "c", "outcome": "deny", "when": "context.tainted && principal in Role::\\"x\\"" }]',
  ],
  cedar: [
    'context.tainted && principal in Role::"teller" && context.arguments has path',
    'context.arguments.path like "/tmp/*" || resource == Tool::"s/read"',
    'if context.hour > 8 && context.hour < 18 then ["a", "b"].contains(context.server) else !(context has session)',
    'ip("10.0.0.1").isInRange(ip("10.0.0.0/8")) && decimal("1.5").lessThan(decimal("2.0")) && {a: 1}.a + 2 * 3 == 7',
  ],
  openapi: [
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: 'https://{region}.example/v1', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } }],
      paths: {
        '/pets/{id}': {
          parameters: [{ $ref: '#/components/parameters/Id' }],
          get: {
            operationId: 'get_pet',
            summary: 'A pet',
            tags: ['pets'],
            parameters: [
              { name: 'id', in: 'query', schema: { type: 'array', items: { type: 'string' } }, style: 'form' },
            ],
            responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
            security: [{ key: [] }],
          },
          delete: { responses: { default: { $ref: '#/components/responses/Gone' } } },
        },
        '/pets': {
          post: {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } }, 'text/plain': {} },
            },
          },
        },
      },
      components: {
        parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^(a+)+$' } } },
        responses: { Gone: { description: 'gone' } },
        schemas: {
          Pet: {
            type: 'object',
            properties: { name: { type: 'string' }, parent: { $ref: '#/components/schemas/Pet' } },
            discriminator: { propertyName: 'kind' },
            allOf: [{ $ref: '#/components/schemas/Base' }],
          },
          Base: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Base' }], nullable: true },
        },
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      },
    }),
    '{"openapi":"3.0.3","paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"get":{"parameters":[{"name":"__proto__","in":"query","schema":{"type":"integer","exclusiveMinimum":true,"minimum":1,"nullable":true}},{"name":"body","in":"header","content":{"application/json":{}}}],"responses":{"2XX":{"content":{"application/hal+json":{"schema":{"$ref":"other.yaml#/X"}}}}}}}}}',
  ],
  recordings: [
    [
      '{"portico":"recording","version":1,"at":1,"servers":[{"name":"s","info":{"name":"s","version":"1"},"version":"2025-11-25","target":{"command":"x","args":["a"]}},{"name":"t","target":{"url":"https://t.example"}}]}',
      '{"at":2,"server":"s","connection":"1","direction":"out","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}',
      '{"at":3,"server":"s","connection":"1","direction":"in","message":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}}',
      '{"at":4,"server":"s","connection":"1","direction":"out","message":{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}}',
      '{"at":5,"server":"s","connection":"1","direction":"in","message":{"jsonrpc":"2.0","id":"a","result":{"resultType":"input_required","inputRequests":{}}}}',
      '{"at":6,"server":"s","connection":"1","direction":"in","message":{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"hi"}]}}}',
      '{"at":7,"server":"t","connection":"2","direction":"out","message":{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}}',
      '{"at":8,"server":"t","connection":"2","direction":"in","message":{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no","data":{}}}}',
      '{"at":9,"server":"s","connection":"1","direc',
    ].join('\n'),
    '{"portico":"recording","version":1,"at":1,"servers":[]}\n{"at":2,"server":"__proto__","connection":"1","direction":"out","message":{"id":1,"method":"prompts/get","params":{"name":"__proto__"}}}\n{"at":2,"server":"__proto__","connection":"1","direction":"in","message":{"id":1,"result":{"messages":[]}}}\n',
  ],
  statements: [
    "SELECT a, 'it''s' FROM \"t\" WHERE b = $1 -- end\n;",
    'WITH x AS (SELECT 1) /* a /* b */ c */ SELECT * FROM x',
    "SELECT $tag$ ; DROP TABLE t $tag$, E'a\\'b' FROM [t] `u`",
    '/*!50000 DELETE FROM t */ EXPLAIN SELECT 1; SHOW GRANTS',
    'INSERT INTO t VALUES (U&"\\0041")',
  ],
} as const
