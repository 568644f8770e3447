import { PorticoError } from '@portico/sdk/client'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, type ServerConfig, type ServerTarget } from '../../config/server-config.ts'
import { HostError } from '../../errors.ts'
import { explainFailure } from './failure.ts'

const PROGRAM: ServerTarget = { kind: 'stdio', command: 'uvx', args: ['x'], env: {} }
const WEB: ServerTarget = { kind: 'http', url: 'https://api.example/mcp?key=hidden', headers: {} }

function configOf(target: ServerTarget): ServerConfig {
  return { name: 's', target, settings: DEFAULT_SETTINGS, place: { file: 'f.json', path: 'p' }, fingerprint: '' }
}

function system(code: string, message = 'failed'): PorticoError {
  return new PorticoError('connect-failed', message, { cause: Object.assign(new Error(code), { code }) })
}

const status = (code: number) => new PorticoError('http-status', `HTTP ${code}`, { data: { status: code } })

const exited = (stderr: string) => new PorticoError('closed', '"uvx" exited with code 1', { data: { stderr } })

describe('explainFailure', () => {
  it.each<[string, unknown, ServerTarget, RegExp, RegExp]>([
    ['a missing program', system('ENOENT'), PROGRAM, /"uvx" was not found/, /Install it.*f\.json/],
    [
      'a missing folder',
      system('ENOENT', 'cannot start "uvx": its working directory "/x" does not exist'),
      PROGRAM,
      /\/x/,
      /folder/,
    ],
    [
      'a port that fetch refuses',
      new PorticoError('connect-failed', 'fetch failed', {
        cause: new TypeError('fetch failed', { cause: new Error('bad port') }),
      }),
      { kind: 'http', url: 'http://127.0.0.1:6000/mcp', headers: {} },
      /Port 6000 cannot be used: .* another kind of server/,
      /another port, such as 3000/,
    ],
    [
      'the wrong path (newcomer 19)',
      status(404),
      { kind: 'http', url: 'http://ann:pw@127.0.0.1:3000/?key=hidden', headers: {} },
      /no MCP server at this address/,
      /^Try http:\/\/127\.0\.0\.1:3000\/mcp: most servers are at \/mcp, older ones at \/sse\.$/,
    ],
    ['another wrong path (newcomer 19)', status(405), WEB, /HTTP 405/, /path of the URL.*\/mcp.*\/sse/],
    ['a program that may not run', system('EACCES'), PROGRAM, /may not be run/, /executable/],
    [
      'an exit',
      new PorticoError('closed', '"uvx" exited with code 2', { data: { stderr: 'no key\n' } }),
      PROGRAM,
      /code 2\. It said: no key/,
      /by hand/,
    ],
    [
      'an exit with a stack trace (newcomer B5)',
      exited(
        "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/a/main.js'\n    at Function.x (node:a:1)\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
      ),
      PROGRAM,
      /It said: Error: Cannot find module '\/a\/main\.js'\.?$/,
      /by hand/,
    ],
    [
      'an exit of another runtime (newcomer B5)',
      exited(
        'Traceback (most recent call last):\n  File "a.py", line 1\nModuleNotFoundError: No module named \'mcp\'\n\n',
      ),
      PROGRAM,
      /It said: ModuleNotFoundError: No module named 'mcp'/,
      /by hand/,
    ],
    ['a refused connection', system('ECONNREFUSED'), WEB, /api\.example \(connection refused/, /port/],
    ['a name unknown', system('ENOTFOUND'), WEB, /cannot be resolved/, /spelling/],
    ['a bad certificate', system('CERT_HAS_EXPIRED'), WEB, /certificate of api\.example.*CERT_HAS_EXPIRED/, /tls\.ca/],
    ['a self-signed one', system('DEPTH_ZERO_SELF_SIGNED_CERT'), WEB, /certificate/, /authority/],
    ['no MCP there', status(404), WEB, /no MCP server.*404/, /path/],
    ['no access', status(403), WEB, /403/, /access/],
    ['too many requests', status(429), WEB, /429/, /Wait/],
    ['out of order', status(503), WEB, /503/, /tried again/],
    [
      'no answer',
      new PorticoError('connect-failed', 'late', { cause: new DOMException('x', 'TimeoutError') }),
      WEB,
      /30000 ms/,
      /startMs/,
    ],
    [
      'no shared revision',
      new PorticoError('unsupported-version', 'No protocol revision is shared'),
      WEB,
      /revision/,
      /Update/,
    ],
    ['a refusal by rule', new HostError('denied', 'A rule says no'), PROGRAM, /A rule says no/, /Approve/],
    ['a missing secret', new HostError('secret-missing', 'TOKEN is not set'), WEB, /TOKEN/, /Set the secret/],
    [
      'a web page',
      new PorticoError('invalid-message', 'its content type is "text/html"'),
      WEB,
      /does not speak MCP.*text.html/,
      /URL/,
    ],
    ['anything else', new Error('odd'), WEB, /odd/, /log/],
  ])('%s', (_, error, target, reason, remedy) => {
    const failure = explainFailure(error, { config: configOf(target) })
    expect(failure.state).toBe('failed')
    expect(failure.reason).toMatch(reason)
    expect(failure.remedy).toMatch(remedy)
    // A query may hold a key.
    expect(failure.reason).not.toContain('hidden')
  })

  it.each([status(401), new PorticoError('auth-failed', 'no token', { data: { reason: 'no-client' } })])(
    'calls %s a matter of signing in, which no retry mends',
    (error) => {
      expect(explainFailure(error, { config: configOf(WEB) })).toMatchObject({ state: 'needs-sign-in', retries: false })
    },
  )

  it.each([
    ['"diary" needs you to sign in', 'The server at mcp.example.com wants you to sign in.'],
    ['no token', 'The server at mcp.example.com wants you to sign in: no token'],
  ])('newcomer 12: says once that one has to sign in, with what else is known: %s', (message, wanted) => {
    const { reason } = explainFailure(new PorticoError('auth-failed', message), { config: configOf(WEB) })
    expect(reason.replace(/ at [^ ]+/, ' at mcp.example.com')).toBe(wanted)
  })

  it('shows what hides in the last words of a program', () => {
    const error = new PorticoError('closed', '"uvx" exited with code 1')
    const { reason } = explainFailure(error, { config: configOf(PROGRAM), stderr: '\u001B[31mred\u202E\n' })
    expect(reason).toContain('⟦U+001B⟧[31mred⟦U+202E⟧')
  })
})
