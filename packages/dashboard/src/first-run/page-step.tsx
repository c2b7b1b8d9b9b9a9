/** Step: name, address and look of the page, with a preview. */
import type { Schemas } from '@status-page/client'
import { MAX_SLUG_LENGTH, slugFrom } from '@status-page/contracts/slug'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api, basePath } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { statusPagesQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { ColourField } from '../kit/colour-field.tsx'
import { TextField } from '../kit/field.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import { ImageUploadField } from './image-upload-field.tsx'
import { PagePreview } from './page-preview.tsx'
import type { StepProps } from './steps.ts'

type StatusPage = Schemas['StatusPage']

interface PageFields {
  name: string
  slug: string
  colour: string
  logoUrl: string
  faviconUrl: string
}

const fields = ['name', 'slug', 'theme.primaryColor', 'logoUrl', 'faviconUrl'] as const

export const PageStep = ({ data: { page } }: StepProps) => {
  const { firstRun, actions } = useTexts()
  const texts = firstRun.page
  const { organization } = useSession()
  const [values, setValues] = useState(() => valuesOf(page, organization.name))
  const save = useSavePage(page)
  const errors = useFieldErrors(save.error, { uniqueField: 'slug' })
  return (
    <div className={classes.halves}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(values)
        }}
      >
        <NameFields page={page} values={values} errors={errors} onChange={setValues} />
        <LookFields values={values} errors={errors} onChange={setValues} />
        <p>
          <Button
            type="submit"
            emphasis={page === null ? 'primary' : 'secondary'}
            isDisabled={save.isPending}
          >
            {save.isPending ? actions.saving : page === null ? texts.create : texts.save}
          </Button>
        </p>
        <ProblemNote error={save.error} fieldErrors={errors} fields={fields} />
      </Form>
      <PagePreview name={values.name} colour={values.colour} logoUrl={values.logoUrl} />
    </div>
  )
}

interface PageFieldsProps {
  values: PageFields
  errors: FieldErrors
  onChange(values: PageFields): void
}

const NameFields = (props: PageFieldsProps & Pick<StepProps['data'], 'page'>) => {
  const { page, values, errors, onChange } = props
  const texts = useTexts().firstRun.page
  const [isSlugChosen, setSlugChosen] = useState(page !== null)
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={errors.name}
        value={values.name}
        onChange={(name) =>
          onChange({ ...values, name, slug: isSlugChosen ? values.slug : slugFrom(name) })
        }
        maxLength={100}
        isRequired
      />
      <TextField
        label={texts.slug}
        hint={texts.slugHint}
        error={errors.slug}
        prefix={`${location.host}${basePath}/status/`}
        value={values.slug}
        onChange={(slug) => {
          setSlugChosen(true)
          onChange({ ...values, slug })
        }}
        maxLength={MAX_SLUG_LENGTH}
        spellCheck="false"
        isRequired
      />
    </>
  )
}

const LookFields = ({ values, errors, onChange }: PageFieldsProps) => {
  const texts = useTexts().firstRun.page
  return (
    <>
      <ColourField
        label={texts.colour}
        customLabel={texts.customColour}
        error={errors['theme.primaryColor']}
        value={values.colour}
        onChange={(colour) => onChange({ ...values, colour })}
      />
      <ImageUploadField
        label={texts.logo}
        hint={texts.logoHint}
        error={errors.logoUrl}
        value={values.logoUrl}
        onChange={(logoUrl) => onChange({ ...values, logoUrl })}
      />
      <ImageUploadField
        label={texts.favicon}
        hint={texts.faviconHint}
        error={errors.faviconUrl}
        value={values.faviconUrl}
        onChange={(faviconUrl) => onChange({ ...values, faviconUrl })}
      />
    </>
  )
}

const DEFAULT_COLOUR = '#2b4acb'

const valuesOf = (page: StatusPage | null, organizationName: string): PageFields => ({
  name: page?.name ?? organizationName,
  slug: page?.slug ?? slugFrom(organizationName),
  colour: page?.theme.primaryColor ?? DEFAULT_COLOUR,
  logoUrl: page?.logoUrl ?? '',
  faviconUrl: page?.faviconUrl ?? '',
})

const useSavePage = (page: StatusPage | null) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, slug, colour, logoUrl, faviconUrl }: PageFields) => {
      const theme = { ...page?.theme, primaryColor: colour }
      const images = { logoUrl: logoUrl || null, faviconUrl: faviconUrl || null }
      const body = { name, slug, theme, ...images }
      if (page === null) return api.POST('/api/v1/status-pages', { body })
      return api.PATCH('/api/v1/status-pages/{id}', { params: { path: { id: page.id } }, body })
    },
    onSuccess: () => queryClient.invalidateQueries(statusPagesQuery),
  })
}
