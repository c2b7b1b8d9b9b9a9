/** Source of an import: the address of a page, or files. */
import { useState } from 'react'
import { FileTrigger, Form } from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { DocumentFileError } from './documents.ts'
import classes from './imports.module.css'
import type { useStatuspageImport } from './statuspage-import.ts'

type Planning = ReturnType<typeof useStatuspageImport>['plan']

export const SourceForm = ({ plan }: { plan: Planning }) => {
  const { imports: texts } = useTexts()
  const { fill } = useFormats()
  const isOfFiles = plan.variables?.kind === 'files'
  const choose = (files: FileList | null) => {
    if (files !== null && files.length > 0) plan.mutate({ kind: 'files', files: [...files] })
  }
  return (
    <div className={classes.sources}>
      <AddressForm plan={plan} />
      <Card title={texts.files}>
        <div className={classes.content}>
          <p>{texts.filesHint}</p>
          <p>
            <FileTrigger acceptedFileTypes={['.json', '.csv']} allowsMultiple onSelect={choose}>
              <Button isDisabled={plan.isPending}>
                {plan.isPending && isOfFiles ? texts.reading : texts.choose}
              </Button>
            </FileTrigger>
          </p>
          {isOfFiles && plan.error instanceof DocumentFileError && (
            <Note state="down" role="alert">
              {fill(texts.badFile, { name: plan.error.message })}
            </Note>
          )}
          {isOfFiles && !(plan.error instanceof DocumentFileError) && (
            <ProblemNote error={plan.error} />
          )}
        </div>
      </Card>
    </div>
  )
}

const fields = ['url', 'apiKey'] as const

const AddressForm = ({ plan }: { plan: Planning }) => {
  const { imports: texts } = useTexts()
  const [url, setUrl] = useState('')
  const [apiKey, setApiKey] = useState('')
  const error = plan.variables?.kind === 'address' ? plan.error : null
  const errors = useFieldErrors(error)
  const isReading = plan.isPending && plan.variables.kind === 'address'
  return (
    <Card title={texts.address}>
      <Form
        className={classes.content}
        onSubmit={(event) => {
          event.preventDefault()
          plan.mutate({ kind: 'address', url: url.trim(), apiKey: apiKey.trim() })
        }}
      >
        <TextField
          label={texts.url}
          hint={texts.urlHint}
          error={errors.url}
          value={url}
          onChange={setUrl}
          maxLength={2048}
          spellCheck="false"
          isRequired
        />
        <TextField
          label={texts.apiKey}
          hint={texts.apiKeyHint}
          error={errors.apiKey}
          value={apiKey}
          onChange={setApiKey}
          type="password"
          maxLength={256}
          autoComplete="off"
        />
        <p>
          <Button type="submit" emphasis="primary" isDisabled={plan.isPending || url.trim() === ''}>
            {isReading ? texts.reading : texts.read}
          </Button>
        </p>
        <ProblemNote error={error} fieldErrors={errors} fields={fields} />
      </Form>
    </Card>
  )
}
