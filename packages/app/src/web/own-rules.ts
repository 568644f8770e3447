/** The rules that are edited in the workbench: kept in a file of its own, beside those of the configuration files. */

import type { Host } from '@portico/host'
import {
  type Circumstances,
  createRules,
  type Decision,
  type Effect,
  lintRules,
  type RuleFinding,
} from '@portico/host/policy'
import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { PolicyFinding } from './api-types/api.ts'
import { Refused } from './http/failure.ts'
import type { SavedJson } from './saved-json.ts'

type SavedRules = SavedJson<readonly JsonObject[]>

export function fromSavedRules(value: unknown): readonly JsonObject[] | undefined {
  return Array.isArray(value) ? value.filter(isObject) : undefined
}

export class OwnRules {
  readonly #host: Host
  readonly #saved: SavedRules

  constructor(host: Host, saved: SavedRules) {
    this.#host = host
    this.#saved = saved
  }

  get rules(): readonly JsonObject[] {
    return this.#saved.value
  }

  /** Keeps them if they can be read; else nothing changes, and what is wrong is said. */
  set(rules: readonly JsonObject[]): readonly PolicyFinding[] {
    const errors = this.lint(rules).filter(({ severity }) => severity === 'error')
    const [first] = errors
    if (first !== undefined) {
      throw new Refused(422, {
        code: 'invalid-rules',
        message: first.message,
        remedy: 'Nothing was changed. Correct the rule and save again.',
        data: { findings: errors },
      })
    }
    this.#host.setRules(rules)
    this.#saved.set(rules)
    return this.lint(rules)
  }

  lint(rules: readonly JsonObject[] = this.rules): PolicyFinding[] {
    const items: { [server: string]: string[] } = Object.create(null)
    for (const { server, ownName } of this.#host.catalogue.items()) {
      items[server] ??= []
      items[server].push(ownName)
    }
    const servers = this.#host.upstreams.views().map(({ name }) => name)
    return lintRules([...rules, ...this.#ofFiles()], { servers, items }).map(toFinding)
  }

  async explain(
    effect: Effect,
    circumstances: Circumstances,
    unsaved: readonly JsonObject[] | undefined,
  ): Promise<Decision & { readonly considered: readonly string[] }> {
    if (unsaved === undefined) return this.#host.guard.explain(effect, circumstances)
    const { considered, ...decision } = createRules([...unsaved, ...this.#ofFiles()]).explain(effect, circumstances)
    return {
      ...decision,
      considered: considered.map(({ rule, outcome, matches, unmet, shadow }) => {
        const kind = shadow ? `${outcome}, only watched` : outcome
        return `${rule} (${kind}): ${matches ? 'matches' : `does not match, ${unmet}`}`
      }),
    }
  }

  /** Rules that are not edited here, and hold all the same. */
  #ofFiles(): readonly unknown[] {
    const own = new Set(this.rules.map(({ id }) => id))
    return this.#host.rules.rules.filter(({ id }) => !own.has(id))
  }
}

const REMEDIES: { readonly [kind in RuleFinding['kind']]: string } = {
  invalid: 'Correct it: a rule that is not understood is not used.',
  'never-matches': 'Correct its conditions, or delete it.',
  unreachable: 'Delete it, or narrow the stricter rule.',
  redundant: 'Delete one of the two.',
  contradictory: 'Decide for one of them; the stricter one counts.',
  'unknown-server': 'Check the spelling; the server may not be configured.',
  'unknown-item': 'Check the spelling; the server may be down.',
}

function toFinding({ kind, rule, message }: RuleFinding): PolicyFinding {
  return { rule, severity: kind === 'invalid' ? 'error' : 'warning', message, remedy: REMEDIES[kind] }
}
