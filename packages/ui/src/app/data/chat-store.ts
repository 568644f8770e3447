/** The conversations that the page has opened, kept up to date by events, and the list of all. */

import type { Chat, ChatPart, ChatSummary } from 'portico/web-api'
import { useEffect } from 'react'
import { type ApiError, call } from './api.ts'
import { applyChatEvent } from './chat-events.ts'
import { onApiEvent, onReconnected } from './events.ts'
import { createStore, useStore } from './store.ts'
import { showFailure, toApiError } from './use-api.ts'

interface ChatState {
  readonly list: readonly ChatSummary[] | undefined
  readonly listError: ApiError | undefined
  readonly open: ReadonlyMap<string, Chat>
  readonly errors: ReadonlyMap<string, ApiError>
}

const store = createStore<ChatState>({ list: undefined, listError: undefined, open: new Map(), errors: new Map() })

export function useChats(): ChatState {
  useEffect(() => {
    if (store.get().list === undefined) void loadChats()
  }, [])
  return useStore(store)
}

/** Loads it when first looked at. */
export function useChat(id: string | undefined): {
  readonly chat?: Chat | undefined
  readonly error?: ApiError | undefined
} {
  const { open, errors } = useStore(store)
  useEffect(() => {
    if (id !== undefined && !store.get().open.has(id)) void openChat(id)
  }, [id])
  return id === undefined ? {} : { chat: open.get(id), error: errors.get(id) }
}

export async function loadChats(): Promise<void> {
  try {
    const { chats } = await call('chat.list', {})
    store.set((before) => ({ ...before, list: [...chats].sort((a, b) => b.at - a.at), listError: undefined }))
  } catch (error) {
    store.set((before) => ({ ...before, listError: toApiError(error) }))
  }
}

export async function openChat(id: string): Promise<void> {
  try {
    keep(await call('chat.open', { id }))
  } catch (error) {
    store.set((before) => ({ ...before, errors: new Map(before.errors).set(id, toApiError(error)) }))
  }
}

export async function createChat(options: {
  readonly model?: string
  readonly tour?: boolean
  readonly project?: string
}): Promise<Chat | undefined> {
  try {
    const chat = await call('chat.create', options)
    keep(chat)
    void loadChats()
    return chat
  } catch (error) {
    showFailure(toApiError(error))
    return undefined
  }
}

/** True once it is gone; a refusal has been shown by then. */
export async function deleteChat(id: string): Promise<boolean> {
  try {
    await call('chat.delete', { id })
    store.set((before) => ({
      ...before,
      list: before.list?.filter((chat) => chat.id !== id),
      open: new Map([...before.open].filter(([key]) => key !== id)),
    }))
    return true
  } catch (error) {
    showFailure(toApiError(error))
    return false
  }
}

/** Parts that were told of before the conversation itself had come. */
const early = new Map<string, ChatPart[]>()
const MAX_EARLY = 100
const MAX_EARLY_CHATS = 10

function keep(chat: Chat): void {
  const missed = (early.get(chat.id) ?? []).filter(({ id }) => !chat.parts.some((part) => part.id === id))
  early.delete(chat.id)
  const whole = missed.reduce<Chat>((made, part) => applyChatEvent(made, { type: 'part', part }), chat)
  store.set((before) => ({
    ...before,
    open: new Map(before.open).set(chat.id, whole),
    errors: new Map([...before.errors].filter(([id]) => id !== chat.id)),
  }))
}

onApiEvent('chat', ({ chat: id, event }) => {
  if (event.type === 'part' && !store.get().open.has(id)) {
    early.set(id, [...(early.get(id) ?? []), event.part].slice(-MAX_EARLY))
    const [oldest] = early.keys()
    if (early.size > MAX_EARLY_CHATS && oldest !== undefined) early.delete(oldest)
  }
  store.set((before) => {
    const chat = before.open.get(id)
    const list =
      event.type === 'title'
        ? before.list?.map((one) => (one.id === id ? { ...one, title: event.title } : one))
        : before.list
    if (chat === undefined) return { ...before, list }
    return { ...before, list, open: new Map(before.open).set(id, applyChatEvent(chat, event)) }
  })
  // Pieces that were told while it was being opened may be there twice; what is kept is right.
  if (event.type === 'busy' && !event.busy && store.get().open.has(id)) void openChat(id)
})

onReconnected(() => {
  const { list, open } = store.get()
  if (list !== undefined) void loadChats()
  for (const id of open.keys()) void openChat(id)
})
