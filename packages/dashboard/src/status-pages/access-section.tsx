/** Section of the designer: who may read the page. */
import { Label, Radio, RadioGroup } from 'react-aria-components'
import { visibilities } from '../api/contract.ts'
import { entryErrorOf } from '../api/field-errors.ts'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import type { DesignerProps } from './designer-props.ts'
import { DraftCheckbox } from './fields.tsx'
import { errorOf, ipRangesOf, type PageDraft } from './page-draft.ts'

export interface AccessSectionProps extends DesignerProps {
  hasPassword: boolean
  /** New password; empty to keep the stored one. It is not part of the stored draft. */
  password: string
  onPassword(password: string): void
}

export const AccessSection = (props: AccessSectionProps) => {
  const { values, errors, set } = props
  const { statusPages: texts } = useTexts()
  return (
    <>
      <RadioGroup
        className={classes.group}
        value={values.visibility}
        onChange={(value) => set({ visibility: value as PageDraft['visibility'] })}
      >
        <Label className={classes.label}>{texts.fields.visibility}</Label>
        {visibilities.map((value) => (
          <Radio key={value} value={value} className={classes.option}>
            <span className={classes.optionTitle}>{texts.visibilities[value]}</span>
            <span className={classes.quiet}>{texts.visibilityHints[value]}</span>
          </Radio>
        ))}
      </RadioGroup>
      {values.visibility === 'password' && <PasswordField {...props} />}
      {values.visibility === 'ip_allowlist' && (
        <TextAreaField
          label={texts.fields.allowedIpRanges}
          hint={texts.hints.allowedIpRanges}
          error={entryErrorOf(errors, 'allowedIpRanges', ipRangesOf(values.allowedIpRanges))}
          rows={3}
          dir="ltr"
          spellCheck="false"
          value={values.allowedIpRanges}
          onChange={(allowedIpRanges) => set({ allowedIpRanges })}
        />
      )}
      {values.visibility === 'public' && <DraftCheckbox {...props} field="allowIndexing" />}
    </>
  )
}

const PasswordField = ({ errors, hasPassword, password, onPassword }: AccessSectionProps) => {
  const { password: texts } = useTexts().statusPages
  return (
    <TextField
      type="password"
      autoComplete="new-password"
      label={hasPassword ? texts.newLabel : texts.label}
      hint={hasPassword ? texts.keep : texts.hint}
      error={errorOf(errors, 'password')}
      value={password}
      onChange={onPassword}
      isRequired={!hasPassword}
    />
  )
}
