/** `chat.*`: conversations with a model, and the models there are. */

import type { Attachment } from '../api-types/api.ts'
import { MODEL_HINT } from '../chat/workbench-models.ts'
import { flag, list, object, oneOf, optional, type Reader, readParams, text, texts } from '../http/params.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

export function chatHandlers({ chats, models }: WorkbenchServices): HandlersOf<'chat.'> {
  return {
    'chat.models': async () => ({ models: await models.choices(), hint: MODEL_HINT }),
    'chat.addModel': (params) => {
      models.add(readParams(params, { id: text, url: text, model: text, keyVariable: optional(text) }))
      return {}
    },
    'chat.list': () => ({ chats: chats.list() }),
    'chat.open': (params) => chats.open(readParams(params, { id: text }).id),
    'chat.create': (params) =>
      chats.create(readParams(params, { model: optional(text), tour: optional(flag), project: optional(text) })),
    'chat.projects': () => ({ projects: chats.projects() }),
    'chat.pin': async (params) => {
      const { id, pin, on } = readParams(params, { id: text, pin: object, on: flag })
      return { pins: await chats.pin(id, readParams(pin, { server: text, uri: text }), on) }
    },
    'chat.send': async (params) => {
      const { id, ...message } = readParams(params, {
        id: text,
        text,
        attachments: optional(list(attachment)),
        model: optional(text),
      })
      await chats.send(id, message)
      return {}
    },
    'chat.cancel': async (params) => {
      await chats.cancel(readParams(params, { id: text }).id)
      return {}
    },
    'chat.delete': async (params) => {
      await chats.delete(readParams(params, { id: text }).id)
      return {}
    },
  }
}

const attachment: Reader<Attachment> = (value) =>
  readParams(value, {
    kind: oneOf(['resource', 'prompt']),
    server: text,
    name: text,
    arguments: optional(texts),
    // Only ever compared with what the server says.
    seen: optional(list(object)) as unknown as Reader<Attachment['seen']>,
  })
