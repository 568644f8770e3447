import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSecretSetting } from './secret-setting.ts'

const ADA = { variable: 'ADA_TOKEN', what: 'the token of "ada"', setting: 'gateway.auth.tokens.ada', example: 'x' }

it.each([[{}], [{ ADA_TOKEN: '' }]])(
  'names the variable, the setting and how to set it where a token is missing: %j (newcomer 17)',
  async (env) => {
    const error = await readSecretSetting(ADA, env).catch((error: unknown) => error)
    expect(error).toMatchObject({ message: expect.stringMatching(/ADA_TOKEN .*the token of "ada".*tokens\.ada/) })
    expect(error).toMatchObject({ remedy: expect.stringMatching(/`export ADA_TOKEN=x`.*ADA_TOKEN_FILE/) })
  },
)

it('names the file that is not there, and the variable that names it (newcomer 17)', async () => {
  const error = await readSecretSetting(ADA, { ADA_TOKEN_FILE: '/nowhere/ada' }).catch((error: unknown) => error)
  expect(error).toMatchObject({
    message: expect.stringMatching(/ADA_TOKEN_FILE.*\/nowhere\/ada.*the token of "ada".*gateway\.auth\.tokens\.ada/),
  })
})

it('reads the variable, then the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-secret-'))
  await writeFile(join(folder, 'ada'), 'from the file\n')
  const env = { ADA_TOKEN_FILE: join(folder, 'ada') }
  expect(await readSecretSetting(ADA, env)).toBe('from the file')
  expect(await readSecretSetting(ADA, { ...env, ADA_TOKEN: 'own' })).toBe('own')
  await rm(folder, { recursive: true })
})
