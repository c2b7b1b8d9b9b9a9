/** Set-up of the second factor: password, then QR code and first code. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { FormDialog } from '../app/form-dialog.tsx'
import { type Proof, ProofDialog } from '../app/proof-dialog.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { CopyField } from '../kit/copy-field.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './account.module.css'

interface SetUpDialogProps {
  onEnabled(backupCodes: readonly string[]): Promise<void>
  onClose(): void
}

const password = ['password'] as const

export const SetUpDialog = ({ onEnabled, onClose }: SetUpDialogProps) => {
  const { secondFactor: texts } = useTexts().ownAccount
  const start = useMutation({
    mutationFn: async (proof: Proof) => {
      const body = { password: proof.password }
      return (await api.POST('/api/v1/auth/2fa/setup', { body })).data
    },
    gcTime: 0,
  })
  if (start.data !== undefined) {
    return <ConfirmSetUp setUp={start.data} onEnabled={onEnabled} onClose={onClose} />
  }
  return (
    <ProofDialog
      title={texts.title}
      submit={texts.next}
      asks={password}
      action={start}
      onClose={onClose}
    >
      <p>{texts.setUpHint}</p>
    </ProofDialog>
  )
}

interface ConfirmSetUpProps extends SetUpDialogProps {
  setUp: { secret: string; qrCodeSvg: string }
}

const ConfirmSetUp = ({ setUp, onEnabled, onClose }: ConfirmSetUpProps) => {
  const { secondFactor: texts } = useTexts().ownAccount
  const [code, setCode] = useState('')
  const enable = useMutation({
    mutationFn: async () =>
      (await api.POST('/api/v1/auth/2fa/verify', { body: { code: code.trim() } })).data.backupCodes,
    onSuccess: (backupCodes) => {
      onClose()
      return onEnabled(backupCodes)
    },
    gcTime: 0,
  })
  const errors = useFieldErrors(enable.error)
  return (
    <FormDialog
      title={texts.title}
      submit={texts.enable}
      isIncomplete={code.trim() === ''}
      action={enable}
      fieldErrors={errors}
      fields={['code']}
      onClose={onClose}
    >
      <p>{texts.scan}</p>
      {/* The service draws the code. As an image it cannot bring styles or scripts of its own. */}
      <img
        className={classes.qrCode}
        src={`data:image/svg+xml,${encodeURIComponent(setUp.qrCodeSvg)}`}
        alt={texts.qrCode}
      />
      <CopyField label={texts.key} value={setUp.secret} />
      <TextField
        label={texts.code}
        error={errors.code}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={32}
        isRequired
      />
    </FormDialog>
  )
}
