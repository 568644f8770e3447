import { expect, it } from 'vitest'
import { readHeaders, readSecret } from './environment.ts'

it.each([`\${secret:github-token}`, `Bearer \${TOKEN}`, `\${input:key}`])(
  'a secret that nobody filled in is refused: %s',
  (value) => {
    const words = /holds \$\{[^}]+\} as it is written: whatever started this server did not fill it in/
    expect(() => readSecret('GITHUB_TOKEN', 'tokenEnv', { GITHUB_TOKEN: value })).toThrow(words)
    expect(() => readHeaders(['X-Key=KEY'], { KEY: value })).toThrow(words)
  },
)

it('other signs in a secret are left alone', () => {
  expect(readSecret('KEY', 'tokenEnv', { KEY: 'a$b{c}$' })).toBe('a$b{c}$')
})
