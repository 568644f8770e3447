/** What the files, taken together, say about rules and models. A project's file may tighten the rules, never loosen them. */

import type { LoadedConfig } from '../config/load-config.ts'
import type { ConfigProblem } from '../config/server-config.ts'
import { type ModelConfig, readModels } from '../model/model-config.ts'
import { readRules } from '../policy/rule-text.ts'
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
  return { rules: usable(rules, problems, config), models: [...models.values()], problems }
}

/** A rule that cannot be read may be a prohibition: until it is corrected, nothing is allowed, and the reason says so. */
function usable(rules: unknown[], problems: ConfigProblem[], config: LoadedConfig | undefined): Rules {
  const read = readRules(rules)
  if (read.problems.length === 0) return createRules(rules)
  const file = config?.extras[0]?.file ?? 'the rules'
  for (const { path, message } of read.problems) {
    const remedy = 'Correct the rule; until then everything is denied.'
    problems.push({ severity: 'error', place: { file, path: `policy.${path}` }, message: `${path} ${message}`, remedy })
  }
  const because = `A rule in ${file} cannot be read. Correct it, and everything else works again.`
  return createRules([...read.rules, { id: 'unreadable-policy', outcome: 'deny', because }])
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
