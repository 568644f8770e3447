// Teaches: what a client needs to know to reach a server: a URL, or a command to start.
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The text that `npm start` prints. */
export function describeAccess(url: string, script: string): string {
  const params = { name: 'list', arguments: {}, _meta: meta }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const runner = script.replace(/examples.start\.ts$/, 'scripts/run.mjs')
  const config = { mcpServers: { notes: { command: 'node', args: [runner, script, '--stdio'] } } }
  return `A notebook as an MCP server, for every revision from 2024-11-05 to 2026-07-28:

  ${url}

Call it:

  curl ${url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/call' -H 'mcp-name: list' \\
    -d '${JSON.stringify(call)}'

Or let a client start it, by its configuration file:

  ${JSON.stringify(config)}

Ctrl-C ends it.`
}
