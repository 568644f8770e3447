import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLIENT_LIMITS, CLIENT_TIMEOUTS } from '../packages/sdk/src/client/options.ts'
import { FRAMING_LIMITS } from '../packages/sdk/src/framing/limits.ts'
import { SKILL_LIMITS } from '../packages/sdk/src/protocol/skills/skills.ts'
import { SCHEMA_LIMITS } from '../packages/sdk/src/schema/json-schema/json-schema-limits.ts'
import { SERVE_LIMITS } from '../packages/sdk/src/serve/rules/limits.ts'
import { SPILL_LIMITS } from '../packages/sdk/src/server/budget/budget-store.ts'
import { SLOW_TIMES } from '../packages/sdk/src/server/slow.ts'
import { CONNECTION_LIMITS } from '../packages/sdk/src/session/connection.ts'
import { ROUND_LIMITS } from '../packages/sdk/src/session/kept-rounds/round-keeping.ts'
import { SEND_LIMITS } from '../packages/sdk/src/transport/send-queue.ts'
import { repositoryRoot } from './report.mjs'

const page = readFileSync(join(repositoryRoot, 'docs', 'guide', 'limits.md'), 'utf8')

test.each(
  Object.entries({
    FRAMING_LIMITS,
    SERVE_LIMITS,
    SCHEMA_LIMITS,
    CLIENT_LIMITS,
    CLIENT_TIMEOUTS,
    SKILL_LIMITS,
    SPILL_LIMITS,
    SLOW_TIMES,
    CONNECTION_LIMITS,
    SEND_LIMITS,
    ROUND_LIMITS,
  }),
)('the guide to limits names every limit of %s', (_name, limits) => {
  expect(Object.keys(limits).filter((key) => !page.includes(`\`${key}\``))).toEqual([])
})
