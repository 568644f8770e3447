/** What a host itself lacks is not held against its servers: a real process without file descriptors, and the errors it meets. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveHttp } from '@portico/sdk/http'
import { ownLackOf } from '@portico/sdk/internal'
import { createServer, tool } from '@portico/sdk/server'
import { describe, expect, it } from 'vitest'
import { Breaker } from '../../src/upstream/connection/breaker.ts'
import { explainFailure } from '../../src/upstream/connection/failure.ts'
import { configOf } from './fixture.ts'

const HOST = fileURLToPath(new URL('own-lack-host.ts', import.meta.url))
const web = configOf('web', { kind: 'http', url: 'https://far.example/mcp', headers: {} })
const system = (code: string, syscall = 'connect') => Object.assign(new Error(code), { code, syscall })

describe('what a host itself lacks (reliability F25)', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAGAIN'])(
    '%s is ours, however deep in the cause, and opens no circuit',
    (code) => {
      const error = new Error('fetch failed', { cause: new AggregateError([system(code)]) })
      const failure = explainFailure(error, { config: web })
      expect(failure).toMatchObject({ isOurs: true, retries: true, reason: expect.stringContaining(code) })
      const breaker = new Breaker({ failures: 2 })
      for (let times = 0; times < 10; times++) expect(breaker.failed(failure.isOurs)).toBe(false)
      expect(breaker.count).toBe(0)
      expect(breaker.retryAt).toBeGreaterThan(Date.now())
    },
  )

  it.each([
    ['a refused connection', system('ECONNREFUSED')],
    ['the word of a server', Object.assign(new Error('EMFILE'), { code: 'EMFILE' })],
    ['nothing at all', undefined],
  ])('%s is not', (_, error) => {
    expect(ownLackOf(error)).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')(
    'a host without file descriptors lives on, blames none of its servers, and reaches them as soon as it can',
    async () => {
      const echo = tool({ input: { type: 'object' } }, () => 'here')
      const server = createServer({ name: 'web', version: '1.0.0', tools: { echo } })
      const [first, http] = [await serveHttp(server, { port: 0 }), await serveHttp(server, { port: 0 })]
      const words = ['--conditions=portico-source', `--import=${import.meta.resolve('tsx')}`, HOST, first.url, http.url]
      const script = 'ulimit -n 120; exec "$0" "$@"'
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, ...words])
      await Promise.all([first.close(), http.close()])
      const { refusals, answers } = JSON.parse(stdout) as { refusals: string[]; answers: boolean[] }
      expect(refusals).toHaveLength(24)
      for (const refusal of refusals) expect(refusal).toContain('EMFILE')
      expect(answers).toEqual([true, true])
    },
  )
})
