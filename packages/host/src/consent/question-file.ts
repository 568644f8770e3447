/**
 * The questions that wait, for other processes with the same state folder and for the next start. Each says who asks: what
 * a living process asks can be answered from another one, through the answers that are kept beside. What an ended process
 * asked is taken over by the next that starts, as far as it means something without it: approvals, changed definitions,
 * files to trust. The file is sealed: what waits holds the arguments of calls, which are nobody else's business, and what
 * is not sealed was put there by somebody else. What is written always stays below what is read.
 */

import { isObject } from '@portico/sdk/internal'
import { PorticoError } from '@portico/sdk/server'
import { callListener } from '../config/call-listener.ts'
import { nameOfPlace, type StatePlace } from '../config/shared-place.ts'
import { createStateFile, type StateFile } from '../config/state-file.ts'
import { createSeal } from '../config/trust/seal.ts'
import { readAnswer } from './answer-text.ts'
import type { Answer, Question } from './question.ts'

/** A process that has questions waiting. */
export interface Owner {
  readonly pid: number
  /** Tells apart several inboxes of one process. */
  readonly id: string
  /** Where several machines share the questions: which of those who share them it is. */
  readonly replica?: string
}

export interface KeptQuestion {
  readonly question: Question
  /** Earlier versions did not say. */
  readonly owner?: Owner
}

/** An answer on its way to the process that asked. */
interface KeptAnswer {
  readonly id: string
  /** The digest of the question as it was shown to whoever answers. */
  readonly digest: string
  readonly answer: Answer
}

export interface Kept {
  readonly questions: readonly KeptQuestion[]
  readonly answers: readonly KeptAnswer[]
}

export interface QuestionFile {
  readonly path: StatePlace
  load(): Promise<Kept>
  add(question: Question): void
  /** The question, and answers to it. */
  remove(id: string): void
  /** The question stays, for whoever starts next. */
  release(id: string): void
  /** For the process whose question it is. Throws for more than the file can carry. */
  answer(answer: KeptAnswer): void
  /** Resolves when everything so far is written. */
  flush(): Promise<void>
}

const NOTHING: Kept = { questions: [], answers: [] }

export function createQuestionFile(
  file: StatePlace,
  owner: Owner,
  onWarning?: (message: string) => void,
): QuestionFile {
  const state = createSealedState(file, onWarning)
  let changes: ((kept: Kept) => Kept)[] = []
  let work: Promise<void> | undefined

  /** Other processes may keep theirs in the same file: only what this one has changed is changed. */
  async function save(): Promise<void> {
    while (changes.length > 0) {
      const now = changes
      changes = []
      await state.update((kept) => toBounded(now.reduce((value, change) => change(value), kept)))
    }
  }

  function change(one: (kept: Kept) => Kept): void {
    changes.push(one)
    // What comes in the same turn is written in one go.
    work ??= Promise.resolve()
      .then(save)
      .catch((error) => warn(`Questions could not be written to ${nameOfPlace(file)}: ${String(error)}`))
      .finally(() => {
        work = undefined
        if (changes.length > 0) change((kept) => kept)
      })
  }

  function warn(message: string): void {
    if (onWarning === undefined) process.emitWarning(message, { code: 'PORTICO_STATE' })
    else callListener(onWarning, message)
    changes = []
  }

  return {
    path: file,
    load: () => state.get(),
    add(question) {
      if (bytesOf(question) > MAX_QUESTION_BYTES) return
      change((kept) => ({ ...kept, questions: [...kept.questions, { question, owner }] }))
    },
    remove: (id) => change((kept) => without(kept, id)),
    release: (id) =>
      change((kept) => ({
        ...kept,
        questions: kept.questions.map((one) => (one.question.id === id ? { question: one.question } : one)),
      })),
    answer(answer) {
      if (bytesOf(answer) > MAX_ANSWER_BYTES) throw new PorticoError('invalid-arguments', TOO_LARGE)
      change((kept) => ({ ...kept, answers: [...kept.answers, answer].slice(-MAX_ANSWERS) }))
    },
    async flush() {
      while (work !== undefined) await work
    },
  }
}

function createSealedState(file: StatePlace, onWarning?: (message: string) => void): StateFile<Kept> {
  const seal = typeof file === 'string' ? createSeal({ file, mark: MARK, onWarning }) : AS_IT_IS
  return createStateFile<Kept>({
    file,
    ...(onWarning !== undefined && { onWarning }),
    empty: NOTHING,
    maxBytes: MAX_FILE_BYTES,
    read: async (text) => fromText(await seal.open(text)),
    write: ({ questions, answers }) =>
      seal.close(JSON.stringify({ version: 1, questions: questions.map(toRecord), answers })),
  })
}

/** What is shared is sealed on its way to the store. */
const AS_IT_IS = { open: async (text: string) => text, close: async (text: string) => text }

/** Whether it means something without whoever asked. A form or a sampling request dies with its server's request. */
export function isDurable({ body }: Question): boolean {
  return DURABLE.has(body.kind)
}

const MARK = 'portico-inbox-1:'
const DURABLE = new Set(['approval', 'definition', 'trust'])
const KINDS = new Set([...DURABLE, 'result', 'sampling', 'sampling-answer', 'form', 'url', 'roots'])
const TOO_LARGE = 'The answer is too large to be given from another process; give it where the question was asked'

const MAX_FILE_BYTES = 8 * 1_048_576
/** Sealed text is a third longer, in a file and in a store, and has a mark, a nonce and the frame around the lists. */
const MAX_CLEAR_BYTES = (MAX_FILE_BYTES / 4) * 3 - 1_024
const MAX_ALL_QUESTIONS_BYTES = (MAX_CLEAR_BYTES / 4) * 3
/** So that one server cannot take the place of the others. */
const MAX_SERVER_BYTES = MAX_CLEAR_BYTES / 8
const MAX_QUESTION_BYTES = 131_072
const MAX_ALL_ANSWERS_BYTES = MAX_CLEAR_BYTES / 4
const MAX_ANSWER_BYTES = 262_144
const MAX_ANSWERS = 100

function without({ questions, answers }: Kept, id: string): Kept {
  return {
    questions: questions.filter(({ question }) => question.id !== id),
    answers: answers.filter((answer) => answer.id !== id),
  }
}

/** The newest questions are left out where it becomes too much for their server's share or the file, and the oldest answers. */
function toBounded({ questions, answers }: Kept): Kept {
  const shares = new Map<string, number>()
  let left = MAX_ALL_QUESTIONS_BYTES
  const kept = questions.filter((one) => {
    const { server } = one.question
    const bytes = bytesOf(toRecord(one))
    const share = (shares.get(server) ?? 0) + bytes
    if (share > MAX_SERVER_BYTES || bytes > left) return false
    shares.set(server, share)
    left -= bytes
    return true
  })
  const known = new Set(kept.map(({ question }) => question.id))
  let room = MAX_ALL_ANSWERS_BYTES
  const newest = answers.filter(({ id }) => known.has(id)).reverse()
  const carried = newest.filter((one) => {
    room -= bytesOf(one)
    return room >= 0
  })
  return { questions: kept, answers: carried.reverse() }
}

/** As it is in the file, with the comma after it. */
function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1
}

function toRecord({ question, owner }: KeptQuestion): object {
  return { ...question, ...(owner !== undefined && { owner }) }
}

/** Throws for what is not such a file; it is then set aside. */
function fromText(text: string): Kept {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || !Array.isArray(value.questions)) throw new TypeError('no list of questions')
  const answers: unknown[] = Array.isArray(value.answers) ? value.answers : []
  return { questions: value.questions.flatMap(toKept), answers: answers.filter(isKeptAnswer) }
}

function toKept(value: unknown): KeptQuestion[] {
  if (!isObject(value)) return []
  const { owner, ...question } = value
  if (!isQuestion(question)) return []
  return [{ question, ...(isOwner(owner) && { owner }) }]
}

function isQuestion(value: unknown): value is Question {
  if (!isObject(value)) return false
  const { id, server, session, createdAt, body } = value
  const texts = [id, server, session].every((one) => typeof one === 'string')
  return texts && typeof createdAt === 'number' && isObject(body) && KINDS.has(String(body.kind))
}

function isOwner(value: unknown): value is Owner {
  if (!isObject(value) || !Number.isInteger(value.pid) || typeof value.id !== 'string') return false
  return value.replica === undefined || typeof value.replica === 'string'
}

function isKeptAnswer(value: unknown): value is KeptAnswer {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.digest !== 'string') return false
  return typeof readAnswer(value.answer) !== 'string'
}
