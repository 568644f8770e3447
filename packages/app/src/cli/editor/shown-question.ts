/**
 * A question of the host as an editor shows it: in words, with the whole of what would happen, and the ways to answer. Made
 * here once, so that no editor has to know what the kinds of questions are, and none can leave out the part that matters.
 */

import { createHash } from 'node:crypto'
import { type Answer, memoryWords, type Question, type QuestionBody } from '@portico/host/consent'
import type { JsonObject } from '@portico/sdk/client'
import { toCanonicalJson } from '@portico/sdk/internal'
import { describeEffect } from '../terminal/effect-text.ts'
import { createPaint } from '../terminal/io.ts'
import { toLine, toPlain } from '../terminal/plain-text.ts'
import type { AnswerChoice, ShownQuestion } from './protocol.ts'

const PLAIN = createPaint(false)
const REMEMBERED = { breadth: 'item', evenIfTainted: true } as const

interface Words {
  readonly title: string
  readonly details?: string
  readonly warnings?: readonly string[]
  readonly choices: readonly AnswerChoice[]
  readonly form?: JsonObject
  readonly content?: JsonObject
}

export function toShownQuestion(question: Question): ShownQuestion {
  const { id, server, body, elsewhere } = question
  const { title, details = '', warnings = [], choices, form, content } = wordsOf(toLine(server, 80), body)
  const memory = memoryWords(question)
  return {
    id,
    digest: digestOf(question),
    server: toLine(server, 80),
    kind: body.kind,
    title: toLine(title, 300),
    details: toPlain(details),
    warnings: warnings.map((warning) => toLine(warning, 400)),
    choices,
    ...(memory !== undefined && { memory }),
    ...(form !== undefined && { form }),
    ...(content !== undefined && { content }),
    ...(elsewhere === true && { elsewhere }),
  }
}

/** Of everything that the question is about: another one under the same id has another. */
export function digestOf({ id, server, session, body }: Question): string {
  // A question is plain JSON.
  const whole = { id, server, session, body } as unknown as JsonObject
  return createHash('sha256').update(toCanonicalJson(whole)).digest('hex')
}

type Body<Kind extends QuestionBody['kind']> = Extract<QuestionBody, { readonly kind: Kind }>

function wordsOf(server: string, body: QuestionBody): Words {
  switch (body.kind) {
    case 'approval':
      return approvalWords(body)
    case 'sampling':
      return samplingWords(server, body)
    case 'sampling-answer':
      return {
        title: `The model's answer to ${server}, before it is sent`,
        details: toJson(body.answer),
        choices: [choice('y', 'Send it', 'allow'), choice('n', 'Do not send it', 'deny')],
      }
    case 'form':
      return {
        title: `${server} asks`,
        details: body.message,
        warnings: [...(body.warnings ?? []), 'Do not give passwords or keys to a form.'],
        form: body.schema,
        choices: [{ ...choice('y', 'Send it', 'allow'), needs: 'form' }, choice('n', 'Decline', 'deny')],
      }
    case 'url':
      return {
        title: `${server} asks you to open a page at ${body.host}`,
        details: `${body.url}\n\n${body.message}`,
        warnings: body.warnings,
        choices: [choice('y', 'Open it in the browser', 'allow'), choice('n', 'Do not open it', 'deny')],
      }
    case 'result':
      return { title: `A result of ${server}, before the model sees it`, details: toJson(body.result), choices: YES_NO }
    case 'roots':
      return { title: `Share these folders with ${server}?`, details: body.offered.join('\n'), choices: YES_NO }
    case 'definition':
      return { title: `${body.item} of ${server} changed. Use it?`, details: differenceOf(body), choices: YES_NO }
    case 'trust':
      return {
        title: 'Trust a file that comes with this project?',
        details: `${body.file}\n\nIt wants to add: ${body.servers.join(', ')}`,
        choices: YES_NO,
      }
  }
}

function approvalWords({ effect, reason, warnings }: Body<'approval'>): Words {
  const { title, details } = describeEffect(effect, PLAIN)
  const canEdit = effect.kind === 'call' || effect.kind === 'prompt'
  return {
    title,
    details: [details ?? '', reason].filter((part) => part !== '').join('\n\n'),
    warnings,
    choices: [
      choice('y', 'Allow', 'allow'),
      choice('n', 'Deny', 'deny'),
      ...(canEdit ? [{ ...choice('e', 'Edit', 'allow'), needs: 'edit' } as const] : []),
      ...(effect.kind === 'connect'
        ? []
        : [choice('s', 'Allow for this session', 'allow', { remember: 'session', ...REMEMBERED })]),
      choice('a', 'Always allow', 'allow', { remember: 'always', ...REMEMBERED }),
    ],
    ...(canEdit && { content: effect.arguments }),
  }
}

function samplingWords(server: string, { request, models, warnings = [] }: Body<'sampling'>): Words {
  return {
    title: `${server} wants to use your model (${models.join(', ')})`,
    details: toJson(request),
    warnings,
    choices: YES_NO,
  }
}

function choice(key: string, label: string, action: Answer['action'], more: Partial<Answer> = {}): AnswerChoice {
  return { key, label, answer: { action, ...more } }
}

const YES_NO = [choice('y', 'Allow', 'allow'), choice('n', 'Deny', 'deny')]

function differenceOf({ difference }: Body<'definition'>): string {
  return difference.map(({ part, before, after }) => `${part}\n- ${before}\n+ ${after}`).join('\n')
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
