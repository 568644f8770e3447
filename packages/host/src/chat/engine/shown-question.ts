/**
 * A question of the host as people in a chat see it: who asks, exactly what would happen, what to look at first, and which
 * answers there are. What is shown is digested, so that a yes holds for what was shown and nothing else.
 */

import { toDigest } from '../../audit/canonical.ts'
import type { Answer, Question, QuestionBody } from '../../consent/question.ts'
import type { Effect } from '../../policy/effect.ts'
import type { ChatPiece } from './adapter.ts'

/** An answer that a button gives. */
interface Choice {
  readonly label: string
  readonly look?: 'good' | 'bad'
  readonly answer: Answer
}

export interface ShownQuestion {
  readonly title: string
  /** All of what it is about, as one text. */
  readonly exact?: string
  readonly warnings: readonly string[]
  readonly choices: readonly Choice[]
  /** A page to visit. It is shown to the person alone. */
  readonly url?: string
  /** The form's schema, where values are wanted. */
  readonly form?: { readonly message: string; readonly schema: Extract<QuestionBody, { kind: 'form' }>['schema'] }
  readonly digest: string
}

type Words = Omit<ShownQuestion, 'digest' | 'choices' | 'warnings'> &
  Partial<Pick<ShownQuestion, 'choices' | 'warnings'>>

/** Undefined for what is not a person's of the chat to decide. */
export function toShownQuestion(question: Question): ShownQuestion | undefined {
  const words = wordsOf(question)
  return words === undefined ? undefined : { choices: YES_NO, warnings: [], ...words, digest: questionDigest(question) }
}

export function questionDigest({ server, session, body }: Question): string {
  return toDigest({ server, session, body })
}

const ALLOW: Choice = { label: 'Allow', look: 'good', answer: { action: 'allow' } }
const DENY: Choice = { label: 'Deny', look: 'bad', answer: { action: 'deny' } }
const YES_NO = [ALLOW, DENY]
const IN_THREAD: Choice = {
  label: 'Allow in this thread',
  answer: { action: 'allow', remember: 'session', breadth: 'item' },
}

function wordsOf({ server, body }: Question): Words | undefined {
  switch (body.kind) {
    case 'approval': {
      const { effect, warnings } = body
      // The operator has chosen the servers and decides about folders of the machine.
      if (effect.kind === 'connect' || effect.kind === 'root') return undefined
      return { ...effectWords(effect), warnings, choices: [ALLOW, IN_THREAD, DENY] }
    }
    case 'form': {
      const { message, schema, warnings = [] } = body
      return {
        title: `"${server}" asks you something`,
        exact: message,
        warnings,
        form: { message, schema },
        choices: [{ label: 'Decline', look: 'bad', answer: { action: 'deny' } }],
      }
    }
    case 'url': {
      const { message, url, host, warnings } = body
      const title = `"${server}" asks you to open a page of ${host}`
      const choices = [
        { ...ALLOW, label: 'I agree' },
        { ...DENY, label: 'Decline' },
      ]
      return { title, exact: message, url, warnings, choices }
    }
    case 'sampling': {
      const { request, models, warnings = [] } = body
      return { title: `"${server}" wants to use the model (${models.join(', ')})`, exact: json(request), warnings }
    }
    case 'sampling-answer':
      return { title: `The model's answer, before "${server}" gets it`, exact: json(body.answer) }
    case 'result':
      return { title: `A result of "${server}", before the model sees it`, exact: json(body.result) }
    case 'definition': {
      const parts = body.difference.map(({ part, before, after }) => `${part}\n- ${before}\n+ ${after}`)
      return { title: `"${body.item}" of "${server}" has changed. Use it as it is now?`, exact: parts.join('\n') }
    }
    default:
      return undefined
  }
}

function effectWords(effect: Effect): { readonly title: string; readonly exact?: string } {
  const server = `"${effect.server}"`
  switch (effect.kind) {
    case 'call':
      return { title: `Call "${effect.tool}" of ${server}?`, exact: json(effect.arguments) }
    case 'read':
      return { title: `Read a resource of ${server}?`, exact: effect.uri }
    case 'prompt':
      return { title: `Use the prompt "${effect.prompt}" of ${server}?`, exact: json(effect.arguments) }
    case 'complete':
      return { title: `Let ${server} complete what is typed for "${effect.item}"?`, exact: json(effect.arguments) }
    case 'flow': {
      const from = effect.from.map((one) => `"${one}"`).join(', ')
      return {
        title: `Data of ${from} would go to ${server} (${effect.tool}). Send it?`,
        exact: json(effect.arguments),
      }
    }
    case 'sample':
      return { title: `Let ${server} use the model, for up to ${effect.maxTokens} tokens?` }
    case 'elicit':
      return { title: `Let ${server} ask you something${effect.host === undefined ? '' : ` at ${effect.host}`}?` }
    default:
      return { title: `Allow ${effect.kind} for ${server}?`, exact: json(effect) }
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The pieces of a question, in the order in which they are read. */
export function questionPieces({ title, exact, warnings, digest }: ShownQuestion): ChatPiece[] {
  return [
    { kind: 'words', text: ` ${title}\n` },
    ...(exact === undefined ? [] : [{ kind: 'exact', text: exact } as const]),
    ...warnings.map((text) => ({ kind: 'words', text: `Careful: ${text}\n` }) as const),
    { kind: 'words', text: `Digest ${digest.slice(0, 16)}` },
  ]
}
