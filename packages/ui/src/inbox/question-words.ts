/** What a question is about, in the few words of a heading or a notification. */

import type { Question } from '../app/data/question-store.ts'
import { toVisible } from '../app/text/text.ts'

interface QuestionWords {
  /** What kind of question it is, in one or two words. */
  readonly kind: string
  /** A sentence that begins with who asks. */
  readonly title: string
}

type Effect = Extract<Question['body'], { readonly kind: 'approval' }>['effect']

export function wordsOf({ server: name, body }: Question): QuestionWords {
  const server = toVisible(name)
  switch (body.kind) {
    case 'approval':
      return { kind: 'Approval', title: effectWords(body.effect) }
    case 'result':
      return { kind: 'Result', title: `May the model see what ${server} answered?` }
    case 'sampling':
      return { kind: 'Model request', title: `${server} wants to use your model` }
    case 'sampling-answer':
      return { kind: 'Answer', title: `May ${server} see what the model wrote?` }
    case 'form':
      return { kind: 'Form', title: `${server} asks you to fill something in` }
    case 'url':
      return { kind: 'Link', title: `${server} wants you to open ${toVisible(body.host)}` }
    case 'roots':
      return { kind: 'Folders', title: `Which folders may ${server} know of?` }
    case 'definition':
      return { kind: 'Change', title: `${server} changed ${toVisible(body.item)}` }
    case 'trust':
      return { kind: 'Project file', title: 'A project file wants to add servers' }
  }
}

export function effectWords(effect: Effect): string {
  const server = toVisible(effect.server)
  switch (effect.kind) {
    case 'connect':
      return `Start or contact ${server}?`
    case 'call':
      return `Call ${toVisible(effect.tool)} of ${server}?`
    case 'read':
      return `Read ${toVisible(effect.uri)} of ${server}?`
    case 'prompt':
      return `Use the prompt ${toVisible(effect.prompt)} of ${server}?`
    case 'complete':
      return `Let ${server} complete what you type for ${toVisible(effect.item)}?`
    case 'sample':
      return `May ${server} use your model?`
    case 'elicit':
      return `May ${server} ask you something?`
    case 'root':
      return `Tell ${server} of the folder ${toVisible(effect.uri)}?`
    case 'flow':
      return `Send data of ${toVisible(effect.from.join(', '))} to ${server}?`
  }
}

/** Questions that one word answers, so that a notification can carry the buttons. */
export function isQuick({ body }: Question): boolean {
  return (
    body.kind === 'approval' &&
    body.warnings.length === 0 &&
    body.effect.kind !== 'connect' &&
    body.effect.kind !== 'flow' &&
    // Nobody allows in a corner of the page what is not shown there.
    !('arguments' in body.effect && Object.keys(body.effect.arguments).length > 0)
  )
}
