/** A search whose program was led outside while it ran: a stand-in for ripgrep reports what a swapped folder would give. */

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDenyList, DENIED } from '../../src/files/deny.ts'
import { base, begin, cleanUp, done, inside, prepare, SECRET } from './fixture.ts'

const path = process.env.PATH

beforeAll(async () => {
  await prepare()
  await mkdir(join(base, 'bin'))
  const match = (text: string, line: number): string =>
    JSON.stringify({
      type: 'match',
      data: { path: { text: join(inside, 'swap.txt') }, lines: { text: `${text}\n` }, line_number: line },
    })
  await writeFile(join(inside, 'swap.txt'), 'needle here\nnothing\n')
  const lines = [match('needle here', 1), match(`needle ${SECRET}`, 2), match(`needle ${SECRET}`, 9)]
  await writeFile(join(base, 'bin', 'rg'), `#!/bin/sh\n${lines.map((line) => `printf '%s\\n' '${line}'`).join('\n')}\n`)
  await chmod(join(base, 'bin', 'rg'), 0o755)
  process.env.PATH = `${join(base, 'bin')}${delimiter}${path}`
})

afterAll(async () => {
  process.env.PATH = path
  await cleanUp()
})

describe.skipIf(process.platform === 'win32')('search_text', () => {
  it('sec-238: returns only lines that stand in the file that was judged (servers 12)', async () => {
    const client = await begin({ ripgrep: true })
    const found = await done<{ matches: { line: number }[] }>(client, 'search_text', { pattern: 'needle' })
    expect(found.matches.map(({ line }) => line)).toEqual([1])
    expect(JSON.stringify(found)).not.toContain(SECRET)
  })
})

describe('secrets by name', () => {
  const list = createDenyList(DENIED)
  it.each(
    `.env .env.local .envrc .env~ prod.env .dev.vars credentials.json service-account.json secrets.json a.ppk a.p8 .my.cnf
    .dockercfg .s3cfg .boto .vault_pass .yarnrc.yml terraform.tfstate terraform.tfstate.backup secring.gpg .bash_history
    .config/gh/hosts.yml sub/.ENVRC`.split(/\s+/),
  )('sec-239: %s is refused (servers 13)', (name) => {
    expect(list.refuses(name)).toBe(true)
  })

  // One name for each pattern, so that whatever is added to the list is walked as well.
  const names = DENIED.filter((pattern) => !pattern.startsWith('!')).map((pattern) =>
    pattern.replace('**/', '').replaceAll('*', 'a'),
  )
  const leftovers = (name: string) => {
    const [, folder = '', last = ''] = /^(.*\/)?(.+)$/.exec(name) ?? []
    const suffixes = [
      '~',
      '.bak',
      '.BAK',
      '.old',
      '.orig',
      '.save',
      '.1',
      '.~1~',
      '.bak2',
      '_backup',
      '.bak.old',
      ' (1)',
    ]
    const wrapped = [`.${last}.swp`, `.${last}.swo`, `#${last}#`, `.#${last}`, `Copy of ${last}`]
    return [...suffixes.map((suffix) => last + suffix), ...wrapped].map((one) => folder + one)
  }
  it.each(names)('sec-258: what is left over of %s is refused (attack B9)', (name) => {
    expect(list.refuses(name)).toBe(true)
    expect(leftovers(name).filter((one) => !list.refuses(one) || !list.refuses(`sub/${one}`))).toEqual([])
  })

  it.each([
    ...['application_default_credentials.json', 'token.json', 'auth.json', 'terraform.tfvars', 'credentials.tfrc.json'],
    ...['kubeconfig', '.dockerconfigjson', '.claude/.credentials.json', '.codex/auth.json', 'logins.json', 'key4.db'],
    ...['Default/Login Data', 'Default/Cookies', 'Default/Network/Cookies', '.password-store/a.gpg', '.oci/config'],
    ...['.m2/settings.xml', '.gem/credentials', 'secrets.toml', 'wallet.dat', '.local/state/portico/secrets'],
    ...['credentials (1).json', 'credentials.bak.json', 'credentials_old.json'],
  ])('sec-258: %s is refused (attack B9)', (name) => {
    expect(list.refuses(name)).toBe(true)
  })

  it.each([
    ...['.env.example', 'environment.ts', 'hosts.yml', 'env.js', 'id_rsa.pub', 'credentials.md'],
    ...['README.md.bak', 'src/cookies/index.ts', 'tokens.json', 'author.json', 'notes.old', 'a~', 'v1.2', '~'],
  ])('%s is not', (name) => {
    expect(list.refuses(name)).toBe(false)
  })
})
