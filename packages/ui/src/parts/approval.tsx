/**
 * An approval where the work is that waits for it: what is about to happen, why it is asked, what to look at first, and
 * the answers. The inbox shows the same question with more room.
 */

import { Button, Checkbox, Group, Select, Stack } from '@mantine/core'
import { CheckIcon, Cross2Icon, Pencil1Icon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { type Answer, answerQuestion, type Question, useClaim } from '../app/question-store.ts'
import { toVisible } from '../app/text.ts'
import { Note } from '../app/tone.tsx'
import classes from './approval.module.css'
import { RawArguments } from './arguments-editor.tsx'
import type { JsonRecord } from './json.ts'
import { JsonView } from './json-view.tsx'

export interface ApprovalProps {
  readonly question: Question
  /** Where the arguments are shown beside it already. */
  readonly withoutArguments?: boolean
}

export function Approval({ question, withoutArguments }: ApprovalProps) {
  useClaim(question.id)
  const { body } = question
  if (body.kind !== 'approval') return <OtherQuestion question={question} />
  const isShort = withoutArguments === true
  // One call may be asked about twice, and nothing that was chosen for the first question is an answer to the second.
  return <ApprovalForm key={question.id} question={question} body={body} withoutArguments={isShort} />
}

interface ApprovalFormProps {
  readonly question: Question
  readonly body: Extract<Question['body'], { readonly kind: 'approval' }>
  readonly withoutArguments: boolean
}

function ApprovalForm({ question, body, withoutArguments }: ApprovalFormProps) {
  const original = argumentsOf(body.effect)
  const [edited, setEdited] = useState<JsonRecord>()
  const [isBroken, setBroken] = useState(false)
  const [remember, setRemember] = useState<NonNullable<Answer['remember']>>('once')
  const [breadth, setBreadth] = useState<NonNullable<Answer['breadth']>>('item')
  const [evenIfTainted, setEven] = useState(false)
  const [busy, setBusy] = useState(false)
  const answer = async (action: Answer['action']) => {
    setBusy(true)
    const isKept = remember !== 'once'
    const isDone = await answerQuestion(question.id, {
      action,
      remember,
      ...(isKept && { breadth }),
      ...(isKept && evenIfTainted && action === 'allow' && { evenIfTainted }),
      ...(action === 'allow' && edited !== undefined && { content: edited }),
    })
    if (!isDone) setBusy(false)
  }
  return (
    <Stack gap="sm" className={classes.approval} role="group" aria-label="Approval">
      {body.warnings.map((warning) => (
        <Note key={warning} tone="warn" title={toVisible(warning)} />
      ))}
      <div className={classes.words}>
        <strong>{toVisible(wordsOf(body.effect))}</strong>
        <span className={classes.reason}>Why you are asked: {toVisible(body.reason)}</span>
      </div>
      {original !== undefined && edited === undefined && !withoutArguments && (
        <JsonView value={original} label="Arguments" open={3} />
      )}
      {edited !== undefined && (
        <RawArguments
          value={edited}
          onChange={setEdited}
          onBroken={setBroken}
          label="Arguments, as they will be sent"
        />
      )}
      <Group gap="xs" align="flex-end">
        <Select
          size="xs"
          label="Remember"
          className={classes.choice}
          allowDeselect={false}
          data={REMEMBER}
          value={remember}
          // The list holds these values alone.
          onChange={(next) => setRemember((next ?? 'once') as typeof remember)}
        />
        {remember !== 'once' && (
          <Select
            size="xs"
            label="For"
            className={classes.choice}
            allowDeselect={false}
            data={BREADTH}
            value={breadth}
            onChange={(next) => setBreadth((next ?? 'item') as typeof breadth)}
          />
        )}
      </Group>
      {remember !== 'once' && (
        <Checkbox
          size="xs"
          label="Even while text from elsewhere is in the conversation"
          checked={evenIfTainted}
          onChange={(event) => setEven(event.currentTarget.checked)}
        />
      )}
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<CheckIcon />}
          loading={busy}
          disabled={isBroken}
          onClick={() => void answer('allow')}
        >
          {edited === undefined ? 'Approve' : 'Approve as edited'}
        </Button>
        {original !== undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Pencil1Icon />}
            onClick={() => {
              setEdited(edited === undefined ? original : undefined)
              setBroken(false)
            }}
          >
            {edited === undefined ? 'Edit' : 'Do not edit'}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<Cross2Icon />}
          disabled={busy}
          onClick={() => void answer('deny')}
        >
          Deny
        </Button>
      </Group>
    </Stack>
  )
}

/** Forms, links and the like have their place in the inbox. */
function OtherQuestion({ question }: { readonly question: Question }) {
  return (
    <Note
      tone="busy"
      role="status"
      title={`${question.server} asks something`}
      actions={
        <Button
          component="a"
          size="compact-sm"
          href={`#/inbox?${new URLSearchParams({ open: question.id, id: question.id }).toString()}`}
        >
          Answer it
        </Button>
      }
    >
      {OTHER[question.body.kind] ?? 'It waits in the inbox.'}
    </Note>
  )
}

const OTHER: { readonly [kind: string]: string } = {
  form: 'It wants a form filled in.',
  url: 'It wants a page opened.',
  sampling: 'It wants a model to answer something.',
  'sampling-answer': 'A model answered; look at it before the server does.',
  result: 'Look at the result before the model does.',
  roots: 'It wants to know which folders it may use.',
}

const REMEMBER = [
  { value: 'once', label: 'Only this time' },
  { value: 'session', label: 'For this conversation' },
  { value: 'workspace', label: 'In this workspace' },
  { value: 'always', label: 'Always' },
]

const BREADTH = [
  { value: 'arguments', label: 'These arguments' },
  { value: 'item', label: 'This tool' },
  { value: 'server', label: 'Everything of this server' },
]

type Effect = Extract<Question['body'], { readonly kind: 'approval' }>['effect']

function wordsOf(effect: Effect): string {
  switch (effect.kind) {
    case 'call':
      return `${effect.server} wants to run ${effect.tool}`
    case 'flow':
      return `Data from ${effect.from.join(', ')} would go to ${effect.server} (${effect.tool})`
    case 'read':
      return `Read ${effect.uri} from ${effect.server}`
    case 'prompt':
      return `Use the prompt ${effect.prompt} of ${effect.server}`
    default:
      return `${effect.server} wants: ${effect.kind}`
  }
}

function argumentsOf(effect: Effect): JsonRecord | undefined {
  // Arguments of an effect are JSON; they came to the page as such.
  return 'arguments' in effect ? (effect.arguments as JsonRecord) : undefined
}
