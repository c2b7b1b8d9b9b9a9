/** Content for other websites: an iframe widget with the status, and a banner during incidents. */
import { createHash } from 'node:crypto'
import type { PublicStatus } from '@status-page/contracts'
import {
  colourDeclarations,
  html,
  type RenderedHtml,
  stateColour,
  trustedMarkup,
} from '@status-page/html'
import { statusByIndicator } from './layout/banner.ts'
import type { PageFrame } from './layout/frame.ts'
import { iconSprite, inlineIcon, statusClasses } from './layout/icons.ts'

/** Document for an iframe on any website; it has no script and sends no referrer. */
export const widgetDocument = (
  { page, urls, language }: PageFrame,
  { status }: Pick<PublicStatus, 'status'>,
): RenderedHtml => {
  const { texts, locale, direction } = language
  const worst = statusByIndicator[status.indicator]
  const mode = page.theme.mode
  const [bright, dim] = [
    colourDeclarations(page.theme, 'light'),
    colourDeclarations(page.theme, 'dark'),
  ]
  const style = `:root{${mode === 'dark' ? dim : bright};--card:${mode === 'dark' ? '#151c26' : '#fff'};--ink:${mode === 'dark' ? '#e8edf4' : '#14202e'}}${
    mode === 'system'
      ? `@media(prefers-color-scheme:dark){:root{${dim};--card:#151c26;--ink:#e8edf4}}`
      : ''
  }[hidden]{display:none}body{margin:0;font:500 .9375rem/1.2 system-ui,sans-serif}a{display:flex;gap:.6rem;align-items:center;box-sizing:border-box;min-height:2.625rem;padding:.25rem .85rem;border:1px solid color-mix(in srgb,var(--s) 40%,var(--card));border-radius:.7rem;background:var(--card);color:var(--ink);text-decoration:none}h1{margin:0;font:inherit}a:hover h1,a:focus-visible h1{text-decoration:underline}.i{width:1.25rem;height:1.25rem;flex:none;padding:.17rem;box-sizing:border-box;border-radius:50%;fill:none;stroke-width:3;stroke-linecap:round;stroke-linejoin:round;background:var(--s);stroke:var(--on)}.${statusClasses[worst]}{--s:var(--${statusClasses[worst]});--on:var(--on-${statusClasses[worst]})}`
  const body = html`<!doctype html>
<html lang="${locale}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${page.name}</title><style>${trustedMarkup(style)}</style></head>
<body>${iconSprite}<main><a class="${statusClasses[worst]}" href="${urls.url('')}" target="_blank" rel="noopener">${inlineIcon(worst)}<h1>${texts.overall[status.indicator]}</h1></a></main></body></html>
`
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`
  return {
    body: body.toString(),
    headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
  }
}

/**
 * Banner script for other websites. It creates elements one by one, so a strict content security
 * policy needs to allow only the script and its request; texts of a tenant are inserted as text.
 */
export const bannerScript = ({ page, urls, language }: PageFrame, summaryUrl: string): string => {
  const { texts, direction } = language
  const facts = {
    url: summaryUrl,
    page: urls.url(''),
    name: page.name,
    direction,
    colours: Object.fromEntries(
      Object.entries(statusByIndicator).map(([indicator, status]) => [
        indicator,
        stateColour(page.theme, status),
      ]),
    ),
    labels: { ...texts.incidents, ...texts.maintenances },
  }
  // Escaped so that a tenant's text cannot close a script element, should a site inline the file.
  const json = JSON.stringify(facts).replaceAll('<', '\\u003c')
  return `(async()=>{const f=${json}
const response=await fetch(f.url);if(!response.ok)return
const s=await response.json(),on=s.incidents[0]||s.scheduled_maintenances.find(m=>m.status==='in_progress'||m.status==='verifying');if(!on)return
const key='status:'+on.id+':'+on.updated_at;try{if(sessionStorage.getItem(key))return}catch{}
const make=(tag,style,text)=>{const e=document.createElement(tag);Object.assign(e.style,style);if(text)e.textContent=text;return e}
const bar=make('div',{position:'fixed',insetInline:'1rem',bottom:'1rem',zIndex:'2147483000',maxWidth:'40rem',margin:'0 auto',display:'flex',gap:'.75rem',alignItems:'center',padding:'.75rem 1rem',background:'#14202e',color:'#fff',borderRadius:'.75rem',boxShadow:'0 .5rem 2rem rgb(0 0 0/.3)',font:'500 .9375rem/1.4 system-ui,sans-serif',borderInlineStart:'.4rem solid '+f.colours[on.impact]})
bar.setAttribute('role','status');bar.dir=f.direction
const link=make('a',{flex:'1',color:'inherit'},(f.labels[on.status]||on.status)+': '+on.name);link.href=f.page
const close=make('button',{border:'0',background:'none',color:'inherit',font:'inherit',fontSize:'1.25rem',lineHeight:'1',cursor:'pointer',padding:'.25rem .5rem'},'\\u00d7');close.type='button';close.setAttribute('aria-label','\\u00d7')
close.onclick=()=>{bar.remove();try{sessionStorage.setItem(key,'1')}catch{}}
bar.append(link,close);document.body.append(bar)})().catch(()=>{})
`
}
