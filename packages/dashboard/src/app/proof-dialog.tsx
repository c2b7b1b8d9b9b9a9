/**
 * Dialog of an action that requires a proof of identity: the password, a code of the second factor,
 * or both.
 */
import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { TextField } from '../kit/field.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { FormDialog } from './form-dialog.tsx'
import { useFieldErrors } from './use-field-errors.ts'

export interface Proof {
  password: string
  code: string
}

type ProofField = keyof Proof

interface ProofDialogProps {
  title: string
  /** Consequences. */
  children?: ReactNode
  submit: string
  emphasis?: 'primary' | 'danger'
  /** Default: a code for an account with a second factor, otherwise the password. */
  asks?: readonly ProofField[]
  /** Text that the user has to type, before an action that cannot be undone. */
  typed?: string
  action: UseMutationResult<unknown, Error, Proof>
  onClose(): void
}

export const ProofDialog = (props: ProofDialogProps) => {
  const { title, children, submit, emphasis, typed, action, onClose } = props
  const { proof: texts } = useTexts().ownAccount
  const { fill } = useFormats()
  const { user } = useSession()
  const asks = props.asks ?? (user.twoFactorEnabled ? ['code'] : ['password'])
  const [proof, setProof] = useState<Proof>({ password: '', code: '' })
  const [entered, setEntered] = useState('')
  const errors = useFieldErrors(action.error)
  const isConfirmed = typed === undefined || entered.trim() === typed
  return (
    <FormDialog
      title={title}
      submit={submit}
      emphasis={emphasis}
      isIncomplete={!isConfirmed || asks.some((field) => proof[field] === '')}
      action={{
        ...action,
        mutate: () => action.mutate({ ...proof, code: proof.code.trim() }),
      }}
      fieldErrors={errors}
      fields={asks}
      onClose={onClose}
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={fill(texts.typed, { text: typed })}
          value={entered}
          onChange={setEntered}
          autoComplete="off"
          spellCheck="false"
        />
      )}
      {asks.map((field) => (
        <TextField
          key={field}
          type={field === 'password' ? 'password' : 'text'}
          autoComplete={field === 'password' ? 'current-password' : 'one-time-code'}
          label={texts[field]}
          error={errors[field]}
          value={proof[field]}
          onChange={(value) => setProof({ ...proof, [field]: value })}
          isRequired
        />
      ))}
    </FormDialog>
  )
}

/** Body of an operation that accepts one of both proofs. */
export const givenProof = ({ password, code }: Proof) => (code === '' ? { password } : { code })
