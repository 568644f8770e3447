import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ConsentSubject, createSignInConsents, type SignInConsents } from './sign-in-consents.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consents-'))
})
afterEach(() => rm(folder, { recursive: true }))

const TARGET =
  'https://id.example/authorize?client_id=gateway&scope=read%20write&redirect_uri=https%3A%2F%2Fg.example%2Fcallback&state=1'

function subject(more: Partial<ConsentSubject> = {}): ConsentSubject {
  return { principal: 'ada', clientId: 'program', server: 'mail', target: new URL(TARGET), ...more }
}

const fileOf = () => join(folder, 'state', 'sign-in-consents.json')

describe.each([
  ['in memory', () => createSignInConsents()],
  ['in a file', () => createSignInConsents({ file: fileOf() })],
])('what users agreed to, %s', (_, create) => {
  let consents: SignInConsents
  beforeEach(async () => {
    consents = create()
    await consents.add(subject())
  })

  it('counts for the same again, and for less', async () => {
    expect(await consents.covers(subject())).toBe(true)
    expect(
      await consents.covers(subject({ target: new URL(TARGET.replace('%20write', '').replace('=1', '=2')) })),
    ).toBe(true)
  })

  it.each<[string, Partial<ConsentSubject>]>([
    ['user', { principal: 'bob' }],
    ['program', { clientId: 'another' }],
    ['program without a name', { clientId: undefined }],
    ['server', { server: 'files' }],
    ['authorization server', { target: new URL(TARGET.replace('id.example', 'id.evil.example')) }],
    ['page there', { target: new URL(TARGET.replace('/authorize', '/other')) }],
    ['scope', { target: new URL(TARGET.replace('read', 'admin')) }],
    ['way back', { target: new URL(TARGET.replace('g.example', 'evil.example')) }],
    ['registration of the gateway', { target: new URL(TARGET.replace('client_id=gateway', 'client_id=x')) }],
  ])('sec-86: is no answer for another %s', async (_what, other) => {
    expect(await consents.covers(subject(other))).toBe(false)
  })

  it('remembers nothing of a program without a name', async () => {
    await consents.add(subject({ clientId: undefined }))
    expect(await consents.list()).toHaveLength(1)
  })

  it('is listed and taken back by user, program and server', async () => {
    await consents.add(subject({ server: 'files' }))
    await consents.add(subject({ principal: 'bob' }))
    expect((await consents.list('ada')).map(({ server }) => server)).toEqual(['mail', 'files'])
    expect(await consents.revoke({ principal: 'ada', server: 'mail' })).toBe(1)
    expect(await consents.covers(subject())).toBe(false)
    expect(await consents.covers(subject({ server: 'files' }))).toBe(true)
    expect(await consents.revoke({ principal: 'ada' })).toBe(1)
    expect(await consents.covers(subject({ principal: 'bob' }))).toBe(true)
  })
})

describe('the file', () => {
  it('sec-86: outlives the process, and its owner alone can read it', async () => {
    await createSignInConsents({ file: fileOf() }).add(subject())
    expect((await stat(fileOf())).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'state'))).mode & 0o777).toBe(0o700)
    const later = createSignInConsents({ file: fileOf() })
    expect(await later.covers(subject())).toBe(true)
    expect(await later.covers(subject({ clientId: 'another' }))).toBe(false)
  })

  it('keeps what two processes write at once', async () => {
    const [one, other] = [createSignInConsents({ file: fileOf() }), createSignInConsents({ file: fileOf() })]
    await Promise.all([one.add(subject()), other.add(subject({ server: 'files' })), one.add(subject({ server: 'c' }))])
    expect((await one.list()).map(({ server }) => server).sort()).toEqual(['c', 'files', 'mail'])
  })

  it('that is damaged is set aside, and everything is asked again', async () => {
    await createSignInConsents({ file: fileOf() }).add(subject())
    await writeFile(fileOf(), '{"consents":"all"}')
    const warnings: string[] = []
    const consents = createSignInConsents({ file: fileOf(), onWarning: (message) => void warnings.push(message) })
    expect(await consents.covers(subject())).toBe(false)
    expect(warnings).toHaveLength(1)
    expect((await readdir(join(folder, 'state'))).some((name) => name.includes('damaged'))).toBe(true)
  })

  it('holds no more than its bounds: the oldest go first', async () => {
    const consents = createSignInConsents({ file: fileOf(), maxPerPrincipal: 2, maxConsents: 3 })
    for (const server of ['a', 'b', 'c']) await consents.add(subject({ server }))
    for (const server of ['d', 'e']) await consents.add(subject({ server, principal: 'bob' }))
    expect((await consents.list()).map(({ server }) => server)).toEqual(['c', 'd', 'e'])
    await consents.add(subject({ server: 'x'.repeat(5_000) }))
    expect((await readFile(fileOf(), 'utf8')).length).toBeLessThan(2_000)
  })

  it('forgets after the time it was told', async () => {
    const consents = createSignInConsents({ file: fileOf(), keepMs: 0 })
    await consents.add(subject())
    expect(await consents.covers(subject())).toBe(false)
  })
})
