/** A server's form. Who asks is in the heading; declining and cancelling are always there (sec-102). */

import { Button, Stack, Text } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { toVisible } from '../../app/text/text.ts'
import { Note } from '../../app/tone.tsx'
import type { JsonRecord } from '../../parts/json.ts'
import { BrokenFields } from '../../parts/schema-form/broken-fields.tsx'
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx'
import { initialArguments, problemsOf } from '../../parts/schema-form/schema-values.ts'
import { NotShownNote } from '../answer-foot.tsx'
import classes from '../inbox.module.css'
import { Prose } from '../prose.tsx'
import type { BodyProps } from '../question-body.ts'
import { asksForSecret, toContent, toForm } from './form-model.ts'

export function FormQuestion({ question, body: { message, schema }, answer }: BodyProps<'form'>) {
  const form = useMemo(() => toForm(schema), [schema])
  const [value, setValue] = useState<JsonRecord>(() => initialArguments(form))
  const [tried, setTried] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const content = toContent(value)
  const problems = problemsOf(form, content)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (problems.length === 0 && !isBroken) void answer({ action: 'allow', content })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Prose text={message} />
        {asksForSecret(form) && (
          <Note tone="bad" title="It asks for something secret">
            Servers must not ask for passwords, keys or tokens in a form. Deny unless you are sure.
          </Note>
        )}
        {form.members.length > 0 && (
          <BrokenFields onBroken={setBroken}>
            {/* What is simply not there yet is no fault before somebody tries to send it. */}
            <SchemaForm
              field={form}
              value={value}
              problems={tried ? problems : problems.filter((problem) => problem.message !== 'Required')}
              onChange={setValue}
            />
          </BrokenFields>
        )}
        <NotShownNote />
        <div className={classes.foot}>
          <Text size="xs" c="dimmed">
            What you send goes to <strong>{toVisible(question.server)}</strong>.
          </Text>
          <div className={classes.buttons}>
            <Button variant="subtle" color="gray" onClick={() => void answer({ action: 'cancel' })}>
              Cancel
            </Button>
            <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
              Deny
            </Button>
            <Button type="submit">Send</Button>
          </div>
        </div>
      </Stack>
    </form>
  )
}
