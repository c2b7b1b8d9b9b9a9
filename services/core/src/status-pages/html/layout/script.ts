/**
 * Browser scripts of a page as text: theme, time zone, relative times, the incidents of a day of the
 * bars, and updates of a changed page. Every page works without them.
 */

/** Script in the head, so that the theme is set before the page is drawn. */
export const themeScript = `try{const t=localStorage.getItem('theme');if(t)document.documentElement.dataset.theme=t}catch{}`

/**
 * Updates the page from server-sent events. Without them, or when an announced version does not
 * arrive, it polls; pages without incidents poll less often. Hidden pages neither connect nor poll.
 */
export const pageScript = `
const root=document.documentElement,$=(s,f=document)=>[...f.querySelectorAll(s)],lang=root.lang
const store=(k,v)=>{try{v===undefined?localStorage.removeItem(k):localStorage.setItem(k,v)}catch{}}
const stored=k=>{try{return localStorage.getItem(k)}catch{}}
const moment=new Intl.DateTimeFormat(lang,{year:'numeric',month:'short',day:'numeric',hour:'2-digit',minute:'2-digit',timeZoneName:'short'})
const ago=new Intl.RelativeTimeFormat(lang,{numeric:'auto',style:'short'})
const units=[[60,'second',1],[3600,'minute',60],[86400,'hour',3600],[1/0,'day',86400]]
const since=t=>{const s=(t-Date.now())/1e3,[,u,d]=units.find(([m])=>Math.abs(s)<m);return ago.format(Math.round(s/d),u)}
let local=stored('zone')==='local'
const times=()=>{for(const e of $('time[datetime]')){const t=Date.parse(e.dateTime),there=e.there??=e.textContent||e.dateTime,here=moment.format(t);e.textContent=local?here:there;e.title=local?there:here;if(e.closest('[data-fresh] .ups,.vendor'))e.dataset.ago=since(t)}}
const button=(id,act)=>{const b=document.getElementById(id);if(b){b.hidden=false;b.onclick=()=>{act(b);label(b)};label(b)}}
const label=b=>{if(b.id==='zone')b.textContent=local?b.dataset.there:b.dataset.here}
button('theme',()=>{const dark=(root.dataset.theme||(matchMedia('(prefers-color-scheme:dark)').matches&&root.dataset.mode==='system'?'dark':root.dataset.mode))==='dark';store('theme',root.dataset.theme=dark?'light':'dark')})
button('zone',()=>{local=!local;store('zone',local?'local':undefined);times()})
times();setInterval(times,3e4)
document.addEventListener('change',({target:t})=>{const f=t.form,scope=v=>f.querySelector('[name=scope][value='+v+']');if(!f||!scope('some'))return
if(t.type==='checkbox'&&t.checked)scope('some').checked=true
if(t===scope('all'))for(const box of $('[type=checkbox]',f))box.checked=false})
const fold=()=>{if(matchMedia('(max-width:34rem)').matches)for(const d of $('[data-phone]'))d.open=false}
fold()
const pop=document.createElement('div');pop.popover='manual';pop.className='pop card';document.body.append(pop)
let day,hiding
const at=a=>a.querySelector('path').getPointAtLength(0).matrixTransform(a.getScreenCTM())
const place=()=>{const {x}=at(day),b=day.closest('svg').getBoundingClientRect(),w=pop.offsetWidth,above=b.top-pop.offsetHeight-8;pop.style.left=Math.max(8,Math.min(document.documentElement.clientWidth-w-8,x-w/2))+'px';pop.style.top=(above<8?Math.max(8,Math.min(b.bottom+8,innerHeight-pop.offsetHeight-8)):above)+'px'}
const hideDay=(ms=0)=>{clearTimeout(hiding);hiding=setTimeout(()=>{day=null;pop.hidePopover?.()},ms)}
const showDay=async a=>{clearTimeout(hiding);if(day===a||!pop.showPopover)return
day=a;pop.textContent=a.querySelector('title').textContent;pop.showPopover();place()
try{const url=new URL(a.href.baseVal,location),id=url.hash.slice(1);url.hash=''
const uptime=new DOMParser().parseFromString(await(await fetch(url,{headers:{accept:'text/html'}})).text(),'text/html'),all=uptime.getElementById(id)
if(!all||day!==a)return
const position=$('.bars',uptime).findIndex(e=>e.dataset.component===a.closest('svg').dataset.component)
for(const e of $('[data-components]:not([data-components~="'+position+'"])',all))e.remove()
const h=all.querySelector('h3'),link=document.createElement('a');link.href=a.href.baseVal;link.append(...h.childNodes);h.append(link)
pop.replaceChildren(...all.childNodes);times();place()}catch{}}
const inPop=e=>pop.contains(e.target)
const nearest=(e,max)=>{const bars=e.target.closest?.('.bars');return bars&&$('a',bars).map(a=>[Math.abs(at(a).x-e.clientX),a]).filter(([d])=>d<max).sort(([c],[d])=>c-d)[0]?.[1]}
document.addEventListener('pointermove',e=>{if(e.pointerType!=='mouse')return;const a=nearest(e,6);if(a)showDay(a);else if(inPop(e))clearTimeout(hiding);else if(day)hideDay(150)})
document.addEventListener('focusin',e=>{const a=e.target.closest('.bars a');if(a)showDay(a);else if(day&&!inPop(e))hideDay()})
document.addEventListener('keydown',e=>{if(e.key==='Escape'&&day)hideDay()})
document.addEventListener('click',e=>{const touch=e.pointerType==='touch',a=nearest(e,touch?24:6)
if(touch&&a){e.preventDefault();showDay(a)}else if(a&&!e.target.closest('a'))location=a.href.baseVal;else if(day&&!inPop(e))hideDay()})
const main=document.querySelector('main[data-live]')
if(main){let checkedAt=0,announced,source
const refresh=async()=>{checkedAt=Date.now()
try{const a=await fetch(location.href,{headers:{accept:'text/html'},cache:'no-cache'});if(!a.ok)return
const next=new DOMParser().parseFromString(await a.text(),'text/html'),fresh=next.querySelector('main[data-live]')
if(!fresh)return location.reload()
const stale=e=>!e.querySelector('#outdated')?.hidden
if(fresh.dataset.version===main.dataset.version&&stale(next)===stale(document))return
const open=new Map($('details',main).map(d=>[d.dataset.fold,d.open])),focus=main.contains(document.activeElement)&&document.activeElement.getAttribute('href')
Object.assign(main.dataset,fresh.dataset);main.replaceChildren(...fresh.childNodes);fold();$('details',main).forEach(d=>{if(!d.open||d.dataset.phone!==undefined)d.open=open.get(d.dataset.fold)??d.open})
if(focus)$('a',main).find(a=>a.getAttribute('href')===focus)?.focus()
document.title=next.title;const i=document.querySelector('link[rel=icon]'),j=next.querySelector('link[rel=icon]');if(i&&j)i.href=j.href
times();document.getElementById('news').textContent=main.dataset.news}catch{}}
const isCurrent=()=>source?.readyState===1&&announced===main.dataset.version&&document.getElementById('outdated')?.hidden
const connect=()=>{const url=main.dataset.events;if(!url||source&&source.readyState<2)return
source=new EventSource(url);source.onmessage=e=>{announced=e.data;if(!isCurrent())refresh()}}
const tick=()=>{if(document.hidden)return source?.close();connect();if(!isCurrent()&&Date.now()-checkedAt>=1e4)refresh()}
if(!document.hidden)connect()
setInterval(tick,+main.dataset.live*1e3);document.addEventListener('visibilitychange',tick)}
`.trim()
