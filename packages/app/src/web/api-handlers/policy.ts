/** `policy.*` and `audit.*`: the rules, what they would say, and what was decided. */

import { stat } from 'node:fs/promises'
import { auditFiles, verifyHostAudit } from '@portico/host'
import { type AuditQuery, type AuditRecord, searchAudit } from '@portico/host/audit'
import type { Circumstances, Effect, EffectKind } from '@portico/host/policy'
import { isObject } from '@portico/sdk/internal'
import type { ShadowResult } from '../api-types/api.ts'
import { flag, list, number, object, oneOf, optional, readParams, text } from '../http/params.ts'
import { readSearchTerms } from '../search-terms.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

const KINDS: readonly EffectKind[] = [
  'connect',
  'call',
  'read',
  'prompt',
  'complete',
  'sample',
  'elicit',
  'root',
  'flow',
]
const MAX_SHADOWS = 100
const MAX_RECORDS = 1_000

export function policyHandlers(services: WorkbenchServices): HandlersOf<'policy.'> & HandlersOf<'audit.'> {
  const { rules } = services
  return {
    'policy.get': async () => ({ rules: rules.rules, findings: rules.lint(), shadow: await readShadows(services) }),
    'policy.set': (params) => ({ findings: rules.set(readParams(params, { rules: list(object) }).rules) }),
    'policy.explain': async (params) => {
      const {
        effect,
        circumstances,
        rules: unsaved,
      } = readParams(params, {
        effect: object,
        circumstances: optional(object),
        rules: optional(list(object)),
      })
      return rules.explain(toEffect(effect), toCircumstances(services, circumstances), unsaved)
    },
    'audit.search': async (params) => {
      const {
        query = '',
        limit = 100,
        before,
      } = readParams(params, {
        query: optional(text),
        limit: optional(number),
        before: optional(number),
      })
      const most = Math.min(Math.max(1, Math.floor(limit)), MAX_RECORDS)
      return { records: await search(services, query, most, before) }
    },
    'audit.verify': async () => {
      const reports = await verifyHostAudit(services.info.stateDir)
      return {
        ok: reports.every(({ ok }) => ok),
        records: reports.reduce((sum, { records }) => sum + records, 0),
        problems: reports.flatMap(({ problems }) => problems.map(({ message }) => message)),
      }
    },
  }
}

/** Explaining does nothing: what is missing is filled in so that every rule can be asked. */
function toEffect(given: object): Effect {
  const { kind, server } = readParams(given, { kind: oneOf(KINDS), server: text })
  const base = { server, arguments: {}, tool: '', uri: '', prompt: '', shown: '', fingerprint: '', from: [] }
  const filled = { ...base, mode: 'form', trusted: false, background: false, maxTokens: 0, ...given, kind }
  // It has all members of every kind, and the kind is one of them.
  return { ...filled, arguments: isObject(filled.arguments) ? filled.arguments : {} } as unknown as Effect
}

function toCircumstances({ host, info }: WorkbenchServices, given: unknown = {}): Circumstances {
  const { session, unattended, tainted, byHand, workspace } = readParams(given, {
    session: optional(text),
    unattended: optional(flag),
    tainted: optional(flag),
    byHand: optional(flag),
    workspace: optional(text),
  })
  return {
    ...host.circumstances({ session: session ?? 'workbench', unattended: unattended ?? false }),
    tainted: tainted ?? false,
    ...(byHand !== undefined && { byHand }),
    ...((workspace ?? info.workspace) !== undefined && { workspace: workspace ?? info.workspace }),
  }
}

const EXACT = ['type', 'what', 'server', 'item', 'principal', 'session', 'outcome', 'rule', 'ref'] as const

/** Newest first, over the files of all programs that share the folder. */
async function search(
  services: WorkbenchServices,
  typed: string,
  limit: number,
  before: number | undefined,
): Promise<AuditRecord[]> {
  const terms = readSearchTerms(typed).filter(({ negated }) => !negated)
  const exact = terms.flatMap(({ key, value }) => {
    const name = EXACT.find((one) => one === key)
    return name === undefined ? [] : [[name, value] as const]
  })
  const words = terms
    .filter(({ key }) => !EXACT.some((one) => one === key))
    .map(({ key, value }) => (key === undefined ? value : `${key}:${value}`).toLowerCase())
  const query: AuditQuery = {
    ...Object.fromEntries(exact),
    ...(words[0] !== undefined && { text: words[0] }),
    ...(before !== undefined && { until: before }),
  }
  const found: AuditRecord[] = []
  for (const file of await existing(services)) {
    for await (const record of searchAudit(file, { ...query, newest: true, limit: MAX_RECORDS })) {
      const line = words.length > 1 ? JSON.stringify(record).toLowerCase() : ''
      if (words.slice(1).every((word) => line.includes(word))) found.push(record)
    }
  }
  return found.sort((a, b) => b.at - a.at || b.sequence - a.sequence).slice(0, limit)
}

async function existing({ info }: WorkbenchServices): Promise<string[]> {
  const files = auditFiles(info.stateDir)
  const there = await Promise.all(
    files.map((file) =>
      stat(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  return files.filter((_, at) => there[at])
}

async function readShadows(services: WorkbenchServices): Promise<ShadowResult[]> {
  const records = await search(services, 'type:decision "shadow"', MAX_SHADOWS, undefined)
  return records.flatMap(({ at, what, server, item, detail, outcome }) => {
    const shadow = isObject(detail) ? detail.shadow : undefined
    if (!isObject(shadow)) return []
    const effect = [what, server, item].filter((one) => one !== undefined).join(' ')
    return [{ at, effect, did: outcome ?? '', would: String(shadow.outcome), rule: String(shadow.rule) }]
  })
}
