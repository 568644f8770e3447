/**
 * What the pages of `browser.ts` do, in the browser: each function calls the tool `count` and returns the progress it
 * saw and the answer; it throws when the server cannot be reached.
 */

export interface Counted {
  readonly progress: number[]
  readonly text: string
}

export async function fetchModern(url: string): Promise<Counted> {
  const params = {
    name: 'count',
    arguments: { to: 2 },
    _meta: {
      progressToken: 'p',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'count',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const events = (await answer.text()).split('\n').filter((line) => line.startsWith('data:'))
  const messages = events.map((line) => JSON.parse(line.slice(5)))
  const result = messages.pop().result
  return { progress: messages.map((message) => message.params.progress), text: result.content[0].text }
}

export async function fetchOlder(url: string): Promise<Counted> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = (message: object, more = {}) => {
    return fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) })
  }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } }
  const opened = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  }
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  const params = { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 'p' } }
  const answer = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session)
  const events = (await answer.text()).split('\n').filter((line) => /^data: *\{/.test(line))
  const messages = events.map((line) => JSON.parse(line.slice(5)))
  const result = messages.pop().result
  const ended = await fetch(url, { method: 'DELETE', headers: session })
  if (ended.status !== 204) throw new Error(`the session did not end: ${ended.status}`)
  return { progress: messages.map((message) => message.params.progress), text: result.content[0].text }
}

export function overEventSource(url: string): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const source = new EventSource(url)
    const progress: number[] = []
    const fail = (reason: string): void => {
      source.close()
      reject(new Error(reason))
    }
    source.onerror = () => fail('the event stream was refused')
    source.addEventListener('endpoint', ({ data }) => {
      const post = (message: object): void => {
        fetch(new URL(data, url), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        }).catch((error) => fail(String(error)))
      }
      source.onmessage = (event) => {
        const message = JSON.parse(event.data)
        if (message.id === 1) {
          post({ method: 'notifications/initialized' })
          const params = { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 'p' } }
          post({ id: 2, method: 'tools/call', params })
        } else if (message.id === 2) {
          source.close()
          resolve({ progress, text: message.result.content[0].text })
        } else progress.push(message.params.progress)
      }
      const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'page', version: '1' } }
      post({ id: 1, method: 'initialize', params: hello })
    })
  })
}

export function overWebSocket(url: string): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http:', 'ws:'), 'mcp')
    const progress: number[] = []
    socket.onerror = () => reject(new Error('the WebSocket was refused'))
    socket.onopen = () => {
      const params = {
        name: 'count',
        arguments: { to: 2 },
        _meta: {
          progressToken: 'p',
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    }
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data)
      if (message.id === 1) {
        socket.close()
        resolve({ progress, text: message.result.content[0].text })
      } else progress.push(message.params.progress)
    }
  })
}
