/** Rules as the page handles them: the members that have a field of their own, the others as JSON, and a line for people. */

import type { ApiResult } from 'portico/web-api'

/** A rule as it is written in the configuration. */
export type RuleJson = ApiResult<'policy.get'>['rules'][number]

export const EFFECTS = ['connect', 'call', 'read', 'prompt', 'complete', 'sample', 'elicit', 'root', 'flow'] as const
export type EffectKind = (typeof EFFECTS)[number]

const OUTCOMES = ['allow', 'ask', 'deny'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What each kind of effect is called where it is chosen. */
export const EFFECT_WORDS: { readonly [kind in EffectKind]: string } = {
  connect: 'start or contact a server',
  call: 'call a tool',
  read: 'read a resource',
  prompt: 'use a prompt',
  complete: 'let a server complete what is typed',
  sample: 'let a server use the model',
  elicit: 'let a server ask the user',
  root: 'tell a server of a folder',
  flow: 'send data of one server to another',
}

export interface RuleForm {
  readonly id: string
  readonly outcome: Outcome
  readonly because: string
  readonly effect: readonly string[]
  readonly server: readonly string[]
  readonly item: readonly string[]
  readonly from: readonly string[]
  readonly shadow: boolean
  readonly review: boolean
  readonly evenIfTainted: boolean
  /** Every other member, as it is written. */
  readonly rest: RuleJson
}

const LISTS = ['effect', 'server', 'item', 'from'] as const
const FLAGS = ['shadow', 'review', 'evenIfTainted'] as const
/** Members that have a field of their own; anywhere else they would be said twice. */
const FIELDS: readonly string[] = ['id', 'outcome', 'because', ...LISTS, ...FLAGS]

export const EMPTY_RULE: RuleForm = {
  id: '',
  outcome: 'ask',
  because: '',
  effect: [],
  server: [],
  item: [],
  from: [],
  shadow: false,
  review: false,
  evenIfTainted: false,
  rest: {},
}

export function fromRule(rule: RuleJson): RuleForm {
  const { id, outcome, because } = rule
  return {
    id: typeof id === 'string' ? id : '',
    outcome: OUTCOMES.find((one) => one === outcome) ?? 'ask',
    because: typeof because === 'string' ? because : '',
    effect: listOf(rule.effect),
    server: listOf(rule.server),
    item: listOf(rule.item),
    from: listOf(rule.from),
    shadow: rule.shadow === true,
    review: rule.review === true,
    evenIfTainted: rule.evenIfTainted === true,
    rest: Object.fromEntries(Object.entries(rule).filter(([name, value]) => !isField(name, value))),
  }
}

/** Whether its field can show it: names that are no text have none, and are kept as they are. */
function isField(name: string, value: unknown): boolean {
  if (!LISTS.some((list) => list === name)) return FIELDS.includes(name)
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
}

/** What cannot stand among the other conditions, since a field above says it. */
export function fieldAmong(rest: RuleJson, form: RuleForm): string | undefined {
  return Object.keys(rest).find((name) => FIELDS.includes(name) && !Object.hasOwn(form.rest, name))
}

/** Only what says something is written. */
export function toRule(form: RuleForm): RuleJson {
  const lists = LISTS.filter((name) => form[name].length > 0).map((name) => [name, [...form[name]]])
  const canBeTainted = form.outcome === 'allow'
  const flags = FLAGS.filter((name) => form[name] && (name !== 'evenIfTainted' || canBeTainted)).map((name) => [
    name,
    true,
  ])
  return {
    id: form.id.trim(),
    outcome: form.outcome,
    ...(form.because.trim() !== '' && { because: form.because.trim() }),
    ...Object.fromEntries(lists),
    ...form.rest,
    ...Object.fromEntries(flags),
  }
}

/** What it is about, in one line: `call · github / create_* · from files`. */
export function describeRule(rule: RuleJson): string {
  const { effect, server, item, from } = fromRule(rule)
  const names = [server, item].map((list) => (list.length === 0 ? undefined : list.join(', ')))
  const about = [
    effect.length === 0 ? 'anything' : effect.join(', '),
    names.some((one) => one !== undefined) ? names.map((one) => one ?? '*').join(' / ') : undefined,
    from.length === 0 ? undefined : `from ${from.join(', ')}`,
  ]
  return about.filter((part) => part !== undefined).join(' · ')
}

/** Conditions beyond names, in one line. */
export function describeConditions(rule: RuleJson): string {
  const { rest } = fromRule(rule)
  return Object.entries(rest)
    .map(([name, value]) => (name === 'when' ? `when ${String(value)}` : `${name} ${JSON.stringify(value)}`))
    .join(' · ')
}

/** A name that no rule has yet. */
export function freeName(rules: readonly RuleJson[], wanted = 'rule'): string {
  const taken = new Set(rules.map(({ id }) => id))
  let count = rules.length + 1
  while (taken.has(`${wanted}-${count}`)) count++
  return `${wanted}-${count}`
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
