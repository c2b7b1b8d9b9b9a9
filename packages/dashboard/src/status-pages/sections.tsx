/** Sections of the designer except the components and the access. */
import { MAX_SLUG_LENGTH } from '@status-page/contracts/slug'
import type { CSSProperties } from 'react'
import { CheckboxGroup, Label } from 'react-aria-components'
import { basePath } from '../api/client.ts'
import { pageLocales } from '../api/contract.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import { ColourField } from '../kit/colour-field.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { TimeZoneField } from '../kit/time-zone-field.tsx'
import { useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import type { DesignerProps } from './designer-props.ts'
import { DraftCheckbox, DraftImageField, DraftTextField } from './fields.tsx'
import { errorOf, type PageDraft, stateColours } from './page-draft.ts'

export const BasicsSection = (props: DesignerProps) => {
  const { values, errors, set } = props
  const { statusPages: texts, firstRun } = useTexts()
  return (
    <>
      <DraftTextField {...props} field="name" maxLength={100} isRequired />
      <TextField
        label={texts.fields.slug}
        hint={firstRun.page.slugHint}
        error={errorOf(errors, 'slug')}
        prefix={`${location.host}${basePath}/status/`}
        value={values.slug}
        onChange={(slug) => set({ slug })}
        maxLength={MAX_SLUG_LENGTH}
        spellCheck="false"
        isRequired
      />
      <TextAreaField
        label={texts.fields.description}
        hint={texts.hints.description}
        error={errorOf(errors, 'description')}
        rows={3}
        value={values.description}
        onChange={(description) => set({ description })}
        maxLength={500}
      />
      <DraftTextField
        {...props}
        field="homepageUrl"
        hint={texts.hints.homepageUrl}
        inputMode="url"
      />
      <DraftTextField {...props} field="supportUrl" hint={texts.hints.supportUrl} inputMode="url" />
    </>
  )
}

const modes: PageDraft['mode'][] = ['system', 'light', 'dark']

export const LookSection = (props: DesignerProps) => {
  const { values, errors, set } = props
  const { statusPages: texts, firstRun } = useTexts()
  return (
    <>
      <Select
        label={texts.fields.mode}
        options={modes.map((value) => ({ value, label: texts.modes[value] }))}
        value={values.mode}
        error={errorOf(errors, 'mode')}
        onChange={(mode) => set({ mode })}
      />
      <ColourField
        label={texts.fields.primaryColor}
        customLabel={firstRun.page.customColour}
        error={errorOf(errors, 'primaryColor')}
        value={values.primaryColor}
        onChange={(primaryColor) => set({ primaryColor })}
      />
      <StateColours {...props} />
      <DraftImageField {...props} field="logoUrl" hint={firstRun.page.logoHint} />
      <DraftImageField {...props} field="logoDarkUrl" hint={texts.hints.logoDarkUrl} />
      <DraftImageField {...props} field="faviconUrl" hint={firstRun.page.faviconHint} />
    </>
  )
}

const StateColours = ({ values, errors, set }: DesignerProps) => {
  const { statusPages: texts } = useTexts()
  return (
    <fieldset className={classes.group}>
      <legend>{texts.hints.stateColours}</legend>
      <p className={classes.quiet}>{texts.hints.stateColoursHint}</p>
      <div className={classes.short}>
        {stateColours.map((field) => (
          <TextField
            key={field}
            label={texts.fields[field]}
            error={errorOf(errors, field)}
            prefix={<Swatch colour={values[field]} field={field} />}
            value={values[field]}
            onChange={(colour) => set({ [field]: colour })}
            placeholder="#rrggbb"
            maxLength={7}
            spellCheck="false"
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Token of the dashboard with the default colour of each state. */
const tokens: Record<(typeof stateColours)[number], string> = {
  operationalColor: 'var(--ok)',
  degradedColor: 'var(--slow)',
  partialColor: 'var(--part)',
  majorColor: 'var(--down)',
  maintenanceColor: 'var(--work)',
}

const Swatch = ({ colour, field }: { colour: string; field: keyof typeof tokens }) => {
  const shown = /^#[\da-f]{6}$/i.test(colour) ? colour : tokens[field]
  return <span className={classes.swatch} style={{ '--swatch': shown } as CSSProperties} />
}

export const HistorySection = (props: DesignerProps) => {
  const { hints } = useTexts().statusPages
  return (
    <>
      <DraftCheckbox {...props} field="showUptimePercentage" />
      <div className={classes.short}>
        <DraftTextField {...props} field="uptimeDays" hint={hints.days} inputMode="numeric" />
        <DraftTextField
          {...props}
          field="incidentHistoryDays"
          hint={hints.days}
          inputMode="numeric"
        />
      </div>
    </>
  )
}

export const LanguageSection = (props: DesignerProps) => {
  const { values, errors, set } = props
  const { fields, hints } = useTexts().statusPages
  const { locale: language } = useLanguage()
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const options = pageLocales.map((value) => ({ value, label: names.of(value) ?? value }))
  return (
    <>
      <Select
        label={fields.locale}
        options={options}
        value={values.locale}
        error={errorOf(errors, 'locale')}
        onChange={(locale) => set({ locale })}
      />
      <CheckboxGroup
        className={classes.group}
        value={values.alternateLocales}
        onChange={(chosen) =>
          set({ alternateLocales: pageLocales.filter((one) => chosen.includes(one)) })
        }
      >
        <Label className={classes.label}>{fields.alternateLocales}</Label>
        <p className={classes.quiet}>{hints.alternateLocales}</p>
        <div className={classes.short}>
          {options
            .filter(({ value }) => value !== values.locale)
            .map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
        </div>
      </CheckboxGroup>
      <TimeZoneField
        label={fields.timezone}
        value={values.timezone}
        error={errorOf(errors, 'timezone')}
        onChange={(timezone) => set({ timezone })}
      />
    </>
  )
}

export const SubscriptionsSection = (props: DesignerProps) => {
  const { hints } = useTexts().statusPages
  return (
    <div>
      <DraftCheckbox {...props} field="allowEmailSubscribers" />
      <DraftCheckbox {...props} field="allowSmsSubscribers" hint={hints.smsSubscribers} />
      <DraftCheckbox {...props} field="allowWebhookSubscribers" />
      <DraftCheckbox {...props} field="allowFeeds" />
    </div>
  )
}
