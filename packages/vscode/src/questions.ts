/**
 * Approvals and questions as native, modal dialogs, one at a time. The host says what would happen, in words and whole; where
 * that is more than a dialog shows, it is first shown as a document, and only then can be agreed to.
 */

import type { AnswerChoice, ShownQuestion } from 'portico/editor-protocol'
import * as vscode from 'vscode'
import type { Documents } from './documents.ts'
import { askForm, type Values } from './form.ts'
import type { HostProcess } from './host.ts'
import { toLabel, toNotice, toPlain } from './plain.ts'

const MAX_DIALOG_CHARS = 1_200
const MAX_DIALOG_LINES = 18
const READ = 'Read all of it'

export class Questions {
  readonly #host: HostProcess
  readonly #documents: Documents
  readonly #waiting = new Map<string, ShownQuestion>()
  #isOpen = false

  constructor(host: HostProcess, documents: Documents) {
    this.#host = host
    this.#documents = documents
    host.onAsked((question) => {
      this.#waiting.set(question.id, question)
      void this.next()
    })
    host.onGone((id) => this.#waiting.delete(id))
  }

  get count(): number {
    return this.#waiting.size
  }

  /** Asks everything that waits, until the person puts one off. */
  async next(): Promise<void> {
    if (this.#isOpen) return
    this.#isOpen = true
    try {
      for (;;) {
        const question = this.#waiting.values().next().value
        if (question === undefined || !(await this.#ask(question))) return
      }
    } finally {
      this.#isOpen = false
    }
  }

  /** False where the person left it for later. */
  async #ask(question: ShownQuestion): Promise<boolean> {
    const whole = wordsOf(question)
    const isLong = whole.length > MAX_DIALOG_CHARS || whole.split('\n').length > MAX_DIALOG_LINES
    const isRead = isLong && (await this.#read(question, whole))
    if (isLong && !isRead) return false
    const detail = isLong ? `All of it is in the document "${question.kind}" beside this.` : whole
    const labels = question.choices.map(({ label }) => label)
    const picked = await vscode.window.showWarningMessage(
      toLabel(question.title, 300),
      { modal: true, detail },
      ...labels,
    )
    if (!this.#waiting.has(question.id)) return true
    const choice = question.choices.find(({ label }) => label === picked)
    // A dialog that is left is no answer: the question waits.
    if (choice === undefined) return false
    const content = await this.#contentFor(question, choice)
    if (content === 'left') return false
    this.#waiting.delete(question.id)
    const answer = { ...choice.answer, ...(content !== undefined && { content }) }
    await this.#host
      .request('questions/answer', { id: question.id, digest: question.digest, answer })
      .catch((error: Error) => vscode.window.showWarningMessage(toNotice(error.message)))
    return true
  }

  async #read(question: ShownQuestion, whole: string): Promise<boolean> {
    const title = toLabel(question.title, 300)
    const detail = 'What would happen is longer than a dialog. Read it first; then you are asked again.'
    const picked = await vscode.window.showWarningMessage(title, { modal: true, detail }, READ)
    if (picked !== READ) return false
    await this.#documents.showText(question.kind, `${question.title}\n\n${whole}`)
    const done = await vscode.window.showInformationMessage('Portico: read the document, then answer.', 'Answer')
    return done === 'Answer'
  }

  async #contentFor(question: ShownQuestion, { needs }: AnswerChoice): Promise<Values | undefined | 'left'> {
    if (needs === 'form') return (await askForm(question.title, question.form)) ?? 'left'
    if (needs !== 'edit') return undefined
    const words = await vscode.window.showInputBox({
      title: toLabel(question.title),
      prompt: 'The arguments as JSON',
      value: JSON.stringify(question.content ?? {}),
      ignoreFocusOut: true,
      validateInput: (typed) => (readObject(typed) === undefined ? 'This must be a JSON object.' : undefined),
    })
    return words === undefined ? 'left' : (readObject(words) ?? 'left')
  }
}

function wordsOf({ warnings, details, memory }: ShownQuestion): string {
  const notes = warnings.map((warning) => `! ${warning}`)
  const held = memory === undefined ? [] : [`Always holds ${memory.always}.`]
  return toPlain([...notes, details, ...held].filter((part) => part !== '').join('\n\n'))
}

function readObject(text: string): Values | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : undefined
  } catch {
    return undefined
  }
}
