/**
 * The questions that outlive the process. Only those are kept that mean something without whoever asked: approvals,
 * changed definitions, files to trust. A form or a sampling request dies with its server's request. The file is sealed:
 * what waits holds the arguments of calls, which are nobody else's business.
 */

import { createSeal } from '../config/seal.ts'
import { createStateFile } from '../config/state-file.ts'
import { tell } from '../config/tell.ts'
import type { Question } from './question.ts'

export interface QuestionFile {
  load(): Promise<readonly Question[]>
  add(question: Question): void
  remove(id: string): void
  /** Resolves when everything so far is written. */
  flush(): Promise<void>
}

export function createQuestionFile(file: string, onWarning?: (message: string) => void): QuestionFile {
  const seal = createSeal({ file, mark: MARK })
  const state = createStateFile<readonly Question[]>({
    file,
    ...(onWarning !== undefined && { onWarning }),
    empty: [],
    // Earlier versions wrote it in clear; the next change seals it.
    read: async (text) => fromText(text.startsWith('{') ? text : await seal.open(text)),
    write: (questions) => seal.close(JSON.stringify({ version: 1, questions })),
  })
  const added = new Map<string, Question>()
  const removed = new Set<string>()
  let work: Promise<void> | undefined

  /** Other processes may keep theirs in the same file: only what this one has changed is changed. */
  async function save(): Promise<void> {
    while (added.size > 0 || removed.size > 0) {
      const [more, less] = [[...added.values()], new Set([...removed, ...added.keys()])]
      added.clear()
      removed.clear()
      await state.update((kept) => toBounded([...kept.filter(({ id }) => !less.has(id)), ...more]))
    }
  }

  function schedule(): void {
    // What comes in the same turn is written in one go.
    work ??= Promise.resolve()
      .then(save)
      .catch((error) => warn(`Questions could not be written to ${file}: ${String(error)}`))
      .finally(() => {
        work = undefined
        if (added.size > 0 || removed.size > 0) schedule()
      })
  }

  function warn(message: string): void {
    if (onWarning === undefined) process.emitWarning(message, { code: 'PORTICO_STATE' })
    else tell(onWarning, message)
    added.clear()
    removed.clear()
  }

  return {
    load: () => state.get(),
    add(question) {
      if (!isDurable(question)) return
      added.set(question.id, question)
      schedule()
    },
    remove(id) {
      added.delete(id)
      removed.add(id)
      schedule()
    },
    async flush() {
      while (work !== undefined) await work
    },
  }
}

const MARK = 'portico-inbox-1:'
const DURABLE = new Set(['approval', 'definition', 'trust'])
const MAX_CHARS = 64_000
const MAX_TOTAL_CHARS = 4_000_000

function isDurable({ body }: Question): boolean {
  return DURABLE.has(body.kind) && JSON.stringify(body).length <= MAX_CHARS
}

/** The oldest go first where it becomes too much for the file. */
function toBounded(questions: readonly Question[]): readonly Question[] {
  let left = MAX_TOTAL_CHARS
  return questions.filter((question) => {
    left -= JSON.stringify(question).length
    return left > 0
  })
}

/** Throws for what is not such a file; it is then set aside. */
function fromText(text: string): readonly Question[] {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('questions' in value) || !Array.isArray(value.questions)) {
    throw new TypeError('no list of questions')
  }
  return value.questions.filter(isQuestion)
}

function isQuestion(value: unknown): value is Question {
  if (typeof value !== 'object' || value === null) return false
  const { id, server, session, createdAt, body } = value as { [name: string]: unknown }
  const texts = [id, server, session].every((one) => typeof one === 'string')
  if (!texts || typeof createdAt !== 'number' || typeof body !== 'object' || body === null) return false
  return 'kind' in body && DURABLE.has(String(body.kind))
}
