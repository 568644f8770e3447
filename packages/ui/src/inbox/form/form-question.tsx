/** A server's form. Who asks is in the heading; declining and cancelling are always there (sec-102). */

import { Button, Stack, Text } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { toVisible } from '../../app/text/text.ts'
import { Note } from '../../app/tone.tsx'
import { NotShownNote } from '../answer-foot.tsx'
import classes from '../inbox.module.css'
import { Prose } from '../prose.tsx'
import type { BodyProps } from '../question-body.ts'
import { FormField } from './form-field.tsx'
import { type FieldValues, initialValues, toContent, toFields } from './form-model.ts'

export function FormQuestion({ question, body: { message, schema }, answer }: BodyProps<'form'>) {
  const fields = useMemo(() => toFields(schema), [schema])
  const [values, setValues] = useState<FieldValues>(() => initialValues(fields))
  const [tried, setTried] = useState(false)
  const { content, problems } = toContent(fields, values)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(problems).length === 0) void answer({ action: 'allow', content })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Prose text={message} />
        {fields.some(({ sensitive }) => sensitive) && (
          <Note tone="bad" title="It asks for something secret">
            Servers must not ask for passwords, keys or tokens in a form. Deny unless you are sure.
          </Note>
        )}
        {fields.map((field) => (
          <FormField
            key={field.name}
            field={field}
            value={values[field.name] ?? field.initial}
            problem={tried && Object.hasOwn(problems, field.name) ? problems[field.name] : undefined}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
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
