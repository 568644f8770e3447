import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromPieces, isSecretName, isSecretValue, toPieces } from './variables.ts'

describe('variables in text', () => {
  it.each([
    ['plain', ['plain']],
    ['', []],
    [`\${HOME}`, [{ kind: 'env', name: 'HOME' }]],
    [`a\${X}b\${env:Y}`, ['a', { kind: 'env', name: 'X' }, 'b', { kind: 'env', name: 'Y' }]],
    [`\${PORT:-80}`, [{ kind: 'env', name: 'PORT', fallback: '80' }]],
    [`\${env:PORT:-}`, [{ kind: 'env', name: 'PORT', fallback: '' }]],
    [`\${URL:-https://x.example/a}`, [{ kind: 'env', name: 'URL', fallback: 'https://x.example/a' }]],
    [`\${env:ProgramFiles(x86)}`, [{ kind: 'env', name: 'ProgramFiles(x86)' }]],
    [
      `\${secret:a b}\${input:id-1}`,
      [
        { kind: 'secret', name: 'a b' },
        { kind: 'input', name: 'id-1' },
      ],
    ],
    [
      `\${workspaceFolder}\${/}`,
      [
        { kind: 'place', name: 'workspaceFolder' },
        { kind: 'place', name: '/' },
      ],
    ],
    [`\${command:pick}`, [{ kind: 'unknown', name: 'command:pick' }]],
    [`\${A:-\${B}}`, [{ kind: 'unknown', name: `A:-\${B` }, '}']],
    [`$\${A}`, [`\${A}`]],
    [`$$\${A}`, [`$\${A}`]],
    [`\${#x} \${x%.*} \${}`, [`\${#x} \${x%.*} \${}`]],
    [`\${open`, [`\${open`]],
    [`$\${open`, [`\${open`]],
    ['$HOME costs 5$', ['$HOME costs 5$']],
    [`\${env:$:-\${}`, [{ kind: 'unknown', name: `env:$:-\${` }]],
    [`\${__proto__}`, [{ kind: 'env', name: '__proto__' }]],
  ])('reads %j', (text, pieces) => {
    expect(toPieces(text)).toEqual(pieces)
  })

  it('spells pieces so that they read the same', () => {
    const part = fc.constantFrom('$', '${', '}', 'A', ':-', 'env:', 'secret:', 'x', ' ', '{', 'userHome', '\n')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
        const pieces = toPieces(parts.join(''))
        expect(toPieces(fromPieces(pieces))).toEqual(pieces)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes linear time for text that never closes', () => {
    expect(toPieces('${'.repeat(400_000))).toHaveLength(1)
    expect(toPieces(`${'${a:'.repeat(200_000)}}`).length).toBeGreaterThan(0)
  })
})

describe('what looks like a secret', () => {
  it.each([
    'GITHUB_TOKEN',
    'API_KEY',
    'apiKey',
    'Authorization',
    'client_secret',
    'DB_PASSWORD',
    'X-Auth',
    'SSH_KEY',
    'GH_PAT',
  ])('is %s', (name) => expect(isSecretName(name)).toBe(true))
  it.each(['PATH', 'HOME', 'KEYBOARD', 'DEBUG', 'MONKEY', 'AUTHOR', 'PATTERN', 'LANG'])('is not %s', (name) => {
    expect(isSecretName(name)).toBe(false)
  })
  it('is a key in the form of a known issuer', () => {
    expect(isSecretValue(`--token=ghp_${'a'.repeat(36)}`)).toBe(true)
    expect(isSecretValue('--token=file.txt')).toBe(false)
  })
})
