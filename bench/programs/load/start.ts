/** From nothing to the first answer: starts a server on pipes, opens a session, calls its one tool, which says its cost. */

import { spawn } from 'node:child_process'
import { INITIALIZED, initializeText } from './messages.ts'

const CALL = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cost","arguments":{"a":1,"b":2}}}'

export function measureStart(file: string): Promise<{ value: number; wallMs: number; rss: number }> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it answered`)))
    let text = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (chunk: string) => {
      text += chunk
      const found = /cpu=(\d+) rss=(\d+)/.exec(text)
      if (found === null) return
      resolve({ value: Number(found[1]), wallMs: performance.now() - start, rss: Number(found[2]) })
      child.kill('SIGKILL')
    })
    child.stdin.write(`${initializeText()}\n${INITIALIZED}\n${CALL}\n`)
  })
}
