/** What the files, taken together, say about rules and models. A project's file may tighten the rules, never loosen them. */

import type { LoadedConfig } from '../config/load-config.ts'
import type { ConfigProblem } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import { type ModelConfig, readModels } from '../model/model-config.ts'
import { createRules, type Rules } from '../policy/rules.ts'

export interface HostSettings {
  readonly rules: Rules
  readonly models: readonly ModelConfig[]
  readonly problems: readonly ConfigProblem[]
}

export function readSettings(config: LoadedConfig | undefined, own: readonly unknown[]): HostSettings {
  const problems: ConfigProblem[] = []
  const rules: unknown[] = [...own]
  const models = new Map<string, ModelConfig>()
  for (const { file, scope, policy, models: section } of config?.extras ?? []) {
    const found = rulesOf(policy)
    rules.push(...(scope === 'project' ? found.filter(isStrict) : found))
    const read = readModels(section)
    for (const model of scope === 'user' ? read.models : []) models.set(model.id, model)
    for (const { id, message, remedy } of read.problems) {
      problems.push({ severity: 'error', place: { file, path: `models.${id}` }, message, remedy })
    }
  }
  return { rules: usable(rules, own, problems, config), models: [...models.values()], problems }
}

/** Rules that cannot be read must not leave the host without the others: it falls back to asking, and says so. */
function usable(
  rules: unknown[],
  own: readonly unknown[],
  problems: ConfigProblem[],
  config: LoadedConfig | undefined,
): Rules {
  try {
    return createRules(rules)
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    const place = { file: config?.extras[0]?.file ?? '', path: 'policy' }
    problems.push({
      severity: 'error',
      place,
      message: error.message,
      remedy: 'Correct the rule; until then all of `policy` is left out and everything asks.',
    })
    return createRules([...own])
  }
}

function rulesOf(section: unknown): unknown[] {
  if (Array.isArray(section)) return section
  const { rules } = (section ?? {}) as { rules?: unknown }
  return Array.isArray(rules) ? rules : []
}

function isStrict(rule: unknown): boolean {
  const { outcome } = (rule ?? {}) as { outcome?: unknown }
  return outcome === 'deny' || outcome === 'ask'
}
