/**
 * Tools on the official SDK 2.4.0 that ask the client, written once for both eras: they return what they need to know,
 * and are run again with the answers.
 */

import {
  type InputRequest,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { choicesForm, clock, defaultsForm, nameForm, personForm, question, SIGN_IN, thought } from '../vocabulary.ts'

type Answer = ReturnType<typeof inputResponse>

export function registerAsking(server: McpServer): void {
  // The vocabulary keeps to the forms that the specification allows.
  const form = (message: string, schema: unknown) => inputRequired.elicit({ message, requestedSchema: schema as never })
  const elicited = ({ answer }: { [key: string]: Answer }) => {
    return answer?.kind === 'elicit'
      ? { action: answer.action, ...(answer.content && { content: answer.content }) }
      : answer
  }
  const sampled = (answer: Answer | undefined) => (answer?.kind === 'sampling' ? answer.result : undefined)
  const rooted = (answer: Answer | undefined) => (answer?.kind === 'roots' ? answer.roots : undefined)
  const think = inputRequired.createMessage({ ...thought, messages: [question('Think of something')] })

  register(server, 'ask_person', { answer: form('Who are you?', personForm) }, elicited)
  register(server, 'ask_choices', { answer: form('What do you like?', choicesForm) }, elicited)
  register(server, 'ask_defaults', { answer: form('Anything to change?', defaultsForm) }, elicited)
  register(
    server,
    'ask_url',
    { answer: inputRequired.elicitUrl({ message: 'Please sign in', url: SIGN_IN }) },
    (given) => {
      return given.answer?.kind === 'elicit' ? given.answer.action : 'nothing'
    },
  )
  register(server, 'ask_model', { answer: think }, ({ answer }) => sampled(answer))
  register(server, 'ask_roots', { answer: inputRequired.listRoots() }, ({ answer }) => rooted(answer))
  const together = {
    name: form('Your name?', nameForm),
    thought: inputRequired.createMessage({ maxTokens: 50, messages: [question('A thought?')] }),
    roots: inputRequired.listRoots(),
  }
  register(server, 'ask_together', together, ({ name, thought: answer, roots }) => ({
    name: name?.kind === 'elicit' ? { action: name.action, content: name.content } : undefined,
    thought: sampled(answer)?.content,
    roots: rooted(roots),
  }))
  registerModelTools(server)
}

/** A tool that asks everything in one round and reports what it makes of the answers. */
function register(
  server: McpServer,
  name: string,
  inputRequests: { [key: string]: InputRequest },
  report: (answers: { [key: string]: Answer }) => unknown,
): void {
  server.registerTool(name, {}, (ctx) => {
    const keys = Object.keys(inputRequests)
    const answers = Object.fromEntries(keys.map((key) => [key, inputResponse(ctx.mcpReq.inputResponses, key)]))
    if (keys.some((key) => answers[key]?.kind === 'missing')) return inputRequired({ inputRequests })
    return say(report(answers))
  })
}

/** Two rounds, the first one's answer carried along in `requestState`. */
function registerModelTools(server: McpServer): void {
  const asked = question('What time is it?')
  const shared = { tools: [clock], maxTokens: 100 }
  const choice = { mode: 'required' as const }
  server.registerTool('ask_model_tools', {}, ({ mcpReq }: ServerContext) => {
    const first = inputResponse(mcpReq.inputResponses, 'first')
    const second = inputResponse(mcpReq.inputResponses, 'second')
    if (second.kind === 'sampling') {
      const use = JSON.parse(String(mcpReq.requestState()))
      return say({ used: use.name, input: use.input, answer: second.result.content })
    }
    if (first.kind !== 'sampling') {
      const ask = inputRequired.createMessage({ ...shared, messages: [asked], toolChoice: choice })
      return inputRequired({ inputRequests: { first: ask } })
    }
    const { content } = first.result
    const blocks = Array.isArray(content) ? content : [content]
    const use = blocks.find((block) => block.type === 'tool_use')
    if (use === undefined) throw new Error('The model used no tool')
    const result = {
      type: 'tool_result' as const,
      toolUseId: use.id,
      content: [{ type: 'text' as const, text: 'noon' }],
    }
    const messages = [
      asked,
      { role: 'assistant' as const, content: blocks },
      { role: 'user' as const, content: [result] },
    ]
    return inputRequired({
      inputRequests: { second: inputRequired.createMessage({ ...shared, messages }) },
      requestState: JSON.stringify(use),
    })
  })
}

function say(value: unknown) {
  return { content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }] }
}
