/** Name, address and language of the user. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { membersQuery, meQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, CardBody, Fields, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { dashboardLocales, languages } from '../texts/locales.ts'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './account.module.css'

export const ProfileCard = () => {
  const { profile: texts } = useTexts().ownAccount
  const { locale, setLocale } = useLanguage()
  const { fill } = useFormats()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Card title={texts.title}>
      <CardBody>
        <NameForm />
      </CardBody>
      <CardBody>
        <Address />
      </CardBody>
      <CardBody>
        <div className={classes.field}>
          <Select
            label={texts.language}
            options={dashboardLocales.map((value) => ({ value, label: languages[value].name }))}
            value={locale}
            onChange={setLocale}
          />
        </div>
        <Hint>{fill(texts.timeZone, { zone })}</Hint>
      </CardBody>
    </Card>
  )
}

const NameForm = () => {
  const { profile: texts } = useTexts().ownAccount
  const { user } = useSession()
  const queryClient = useQueryClient()
  const [name, setName] = useState(user.name)
  const save = useMutation({
    mutationFn: () => api.PATCH('/api/v1/auth/me', { body: { name } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(meQuery)
      await queryClient.invalidateQueries(membersQuery)
    },
  })
  const errors = useFieldErrors(save.error)
  const isSame = name === user.name
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          error={errors.name}
          value={name}
          onChange={setName}
          maxLength={100}
          autoComplete="name"
          isRequired
        />
        <Actions>
          <Button
            type="submit"
            emphasis="primary"
            isDisabled={isSame || name.trim() === '' || save.isPending}
          >
            {texts.save}
          </Button>
        </Actions>
        <ProblemNote error={save.error} fieldErrors={errors} fields={['name']} />
        {save.isSuccess && isSame && <Note state="ok">{texts.saved}</Note>}
      </Fields>
    </Form>
  )
}

const Address = () => {
  const { profile: texts } = useTexts().ownAccount
  const { user } = useSession()
  const resend = useMutation({ mutationFn: () => api.POST('/api/v1/auth/email/verification') })
  return (
    <>
      <p>
        <strong>{texts.email}</strong>
        <br />
        <bdi>{user.email}</bdi>
      </p>
      <Actions>
        <StateMark state={user.emailVerified ? 'ok' : 'part'} />
        <span>{user.emailVerified ? texts.verified : texts.unverified}</span>
        {!user.emailVerified && (
          <Button onPress={() => resend.mutate()} isDisabled={resend.isPending}>
            {texts.verify}
          </Button>
        )}
      </Actions>
      <ProblemNote error={resend.error} />
      {resend.isSuccess && <Note state="ok">{texts.verificationSent}</Note>}
    </>
  )
}
