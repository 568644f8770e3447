/** Cedar takes longer to load than all the rest: only who uses it pays for it. */

import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { createHost } from '../src/doors/host.ts'
import { createCedarPolicy, createRules } from '../src/doors/policy.ts'

const modules = createRequire(import.meta.url).cache
const isLoaded = () => Object.keys(modules).some((file) => file.includes('cedar-wasm'))

test('Cedar is loaded with the first condition in its language, and not by a host or rules without one', async () => {
  const host = await createHost({ rules: [{ id: 'plain', outcome: 'deny', server: 'git' }], unattended: true })
  await host.close()
  expect(isLoaded()).toBe(false)
  const rules = createRules([{ id: 'cedar', outcome: 'allow', when: 'context.server == "git"' }])
  expect(isLoaded()).toBe(true)
  const about = { session: 's', unattended: false, tainted: false, at: 0 }
  expect(rules.decide({ kind: 'read', server: 'git', uri: 'file:///a' }, about)).toMatchObject({ rule: 'cedar' })
  const policy = createCedarPolicy({ policies: 'permit (principal, action, resource);' })
  expect(policy.authorize(undefined, 'see', { kind: 'tool', name: 'status' })).toMatchObject({ allowed: true })
})
