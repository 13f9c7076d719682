// Every page of the dashboard, as requested in a large instance: at the start and deep in a list, and with searches
// that find much or little. The paths come from the dashboard's route list.

import { readFileSync } from "node:fs";

const ROUTES = new URL("../../crates/docwright-dashboard/src/pages/mod.rs", import.meta.url);

/** Paths of pages, such as `/projects/{project_id}`. */
export function routes() {
  const text = readFileSync(ROUTES, "utf8");
  return [...text.matchAll(/\.route\(\s*"([^"]+)",\s*get\(/g)].map(([, route]) => route);
}

/** The requests: a list of `[route, query or ids, who]`. Fails if it lacks a page of the dashboard. */
export function requests(instance, tokens, assistantKey) {
  const { count } = instance;
  const id = (kind, i) => instance.id(kind, i);
  const middle = (kind) => Math.floor((count[kind] * 3) / 4);
  const [large, small] = [id("organization", 1), id("organization", 3)];
  const [project, quiet] = [id("project", 1), id("project", 7)];
  const day = (days) => new Date(instance.now - days * 86_400_000).toISOString().slice(0, 10);
  const newest = id("release", count.release - 63);
  const job = id("job", count.job - 300);
  const asked = {
    "/": [["", "admin"], ["", "operator"], ["", null]],
    "/inbox": [["", "admin"], ["", "operator"]],
    "/search": [["?search=project+77", "operator"], [`?organization=${large}`, "admin"], [`?organization=${large}&search=project+77`, "admin"], [`?organization=${large}&search=no+such+thing`, "admin"], [`?project=${project}&search=77`, "admin"], [`?project=${project}&search=no+such+thing`, "admin"]],
    "/setup": [["", null]],
    "/sign-in": [["", null]],
    "/sign-in/forgot": [["", null]],
    "/sign-in/link": [[`?token=${"0".repeat(64)}`, null]],
    "/sign-in/provider": [["", null]],
    "/sign-in/provider/back": [["", null]],
    "/sign-in/code": [["", "waiting"]],
    "/account": [["", "admin"]],
    "/account/delete": [["", "admin"]],
    "/account/tokens": [["", "admin"]],
    "/account/tokens/new": [["", "admin"]],
    "/account/security": [["", "admin"]],
    "/account/security/app": [["", "admin"]],
    "/account/security/app/off": [["", "admin"]],
    "/account/security/passkeys/new": [["", "admin"]],
    "/account/security/passkeys/{passkey_id}/remove": [["psk_none", "admin"]],
    "/sign-in/passkey": [["", null]],
    "/sign-in/code/passkey": [["", "waiting"]],
    "/organizations": [["", "admin"], ["", "operator"], ["?search=organization+9", "operator"], ["?sort=newest", "operator"], [`?cursor=${id("organization", middle("organization"))}`, "operator"]],
    "/organizations/{organization_id}": [[large, "admin"], [large, "operator"], [`${large}?cursor=${id("project", Math.floor(count.project * 0.7))}`, "admin"], [small, "operator"], [`${large}?search=project+77`, "admin"], [`${large}?sort=name`, "admin"], [`${large}?sort=newest`, "admin"], [`${large}?search=project&sort=newest`, "admin"]],
    "/organizations/{organization_id}/members": [[large, "admin"], [small, "operator"], [`${large}?search=person-77`, "admin"], [`${large}?cursor=person-4000%40example.com`, "admin"], [`${large}?email=person-4000%40example.com`, "admin"], [`${large}?email=nobody%40example.com`, "admin"]],
    "/organizations/{organization_id}/members/{account_id}/remove": [[`${large} ${id("account", 3)}`, "admin"]],
    "/organizations/{organization_id}/invitations": [[large, "admin"], [`${large}?cursor=${id("invitation", 50)}`, "admin"]],
    "/invitations/{token}": [[tokens.invitation, null]],
    "/preview-access": [[`?to=https%3A%2F%2Fp100.preview.example.com%2F`, "admin"]],
    "/organizations/{organization_id}/projects/new": [[large, "admin"]],
    "/organizations/{organization_id}/keys": [[large, "admin"], [`${large}?search=key+77`, "admin"], [`${large}?sort=name`, "admin"], [`${large}?cursor=${instance.now - 60 * 86_400_000 + Math.floor(count.key / 2)}~${Math.floor(count.key / 2).toString(16).padStart(16, "0")}`, "admin"]],
    "/organizations/{organization_id}/keys/new": [[large, "admin"]],
    "/organizations/{organization_id}/audit": [
      [large, "admin"], [small, "operator"], [`${large}?cursor=${id("entry", middle("entry"))}`, "admin"],
      [`${large}?action=update.create`, "admin"], [`${large}?action=update`, "admin"], [`${large}?action=organization.update`, "admin"], [`${large}?action=key`, "admin"],
      [`${large}?actor=00000000000000ab`, "admin"], [`${large}?actor=${id("account", 3)}`, "admin"], [`${large}?actor=nobody`, "admin"],
      [`${large}?subject=${project}`, "admin"], [`${large}?subject=${project}&action=organization`, "admin"], [`${large}?actor=00000000000000ab&action=domain.verify`, "admin"],
      [`${large}?since=${day(600)}&until=${day(599)}`, "admin"], [`${large}?since=${day(600)}&until=${day(599)}&action=organization.update`, "admin"], [`${large}?action=domain&until=${day(300)}`, "admin"],
      [`${small}?action=update.create`, "operator"],
    ],
    "/organizations/{organization_id}/audit/csv": [[large, "admin"], [`${large}?actor=${id("account", 3)}`, "admin"]],
    "/organizations/{organization_id}/plan": [[large, "admin"], [large, "operator"]],
    "/accounts/{account_id}/delete": [[id("account", 3), "operator"]],
    "/accounts": [["", "operator"], ["?search=person-77", "operator"], ["?cursor=person-4000%40example.com", "operator"]],
    "/plans": [["", "operator"]],
    "/instance": [["", "operator"]],
    "/projects/{project_id}": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/releases": [[project, "admin"], [`${project}?status=failed`, "admin"], [`${project}?search=000`, "admin"], [`${project}?search=000&status=failed`, "admin"], [`${project}?search=fff`, "admin"], [`${quiet}?status=building`, "admin"], [`${project}?cursor=${id("release", middle("release"))}`, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/releases/{release_id}": [[`${project} ${newest}`, "admin"], [`${project} ${id("release", count.release - 70)}`, "admin"], [`${project} ${id("release", count.release)}`, "admin"], [`${project} ${id("release", middle("release"))}`, "admin"]],
    "/projects/{project_id}/releases/{release_id}/changes": [[`${project} ${newest}`, "admin"], [`${project} ${id("release", middle("release"))}`, "admin"]],
    "/projects/{project_id}/releases/{release_id}/log": [[`${project} ${newest}`, "admin"]],
    "/projects/{project_id}/releases/{release_id}/effect": [[`${project} ${newest}`, "admin"]],
    "/projects/{project_id}/releases/{release_id}/activate": [[`${project} ${newest}`, "admin"]],
    "/projects/{project_id}/jobs": [[project, "admin"], [`${project}?cursor=${id("job", middle("job"))}`, "admin"], [`${project}?status=active`, "admin"], [`${project}?status=archived&cursor=${id("job", Math.floor(count.job * 0.6))}`, "admin"], [`${project}?status=failed`, "admin"], [quiet, "admin"], [`${quiet}?status=active`, "admin"]],
    "/projects/{project_id}/jobs/new": [[project, "admin"]],
    "/projects/{project_id}/jobs/{job_id}": [[`${project} ${job}`, "admin"], [`${project} ${id("job", count.job)}`, "admin"], [`${project} ${id("job", middle("job"))}`, "admin"]],
    "/projects/{project_id}/previews": [[project, "admin"], [`${project}?state=open`, "admin"], [`${project}?search=change-77`, "admin"], [`${project}?cursor=${id("preview", Math.floor(count.preview / 4))}`, "admin"]],
    "/projects/{project_id}/previews/{preview_id}": [[`${project} ${id("preview", 100)}`, "admin"], [`${project} ${id("preview", 101)}`, "admin"]],
    // The projects here are on a remote git host.
    "/projects/{project_id}/pull-requests": [[project, "admin"]],
    "/projects/{project_id}/pull-requests/new": [[project, "admin"]],
    "/projects/{project_id}/pull-requests/{number}": [[`${project} 1`, "admin"]],
    "/projects/{project_id}/exports": [[project, "admin"], [`${project}?status=failed`, "admin"], [`${project}?search=docs`, "admin"], [`${project}?search=docs&status=queued`, "admin"], [`${project}?cursor=${id("export", middle("export"))}`, "admin"]],
    "/projects/{project_id}/exports/{export_id}": [[`${project} ${id("export", count.export - 10)}`, "admin"], [`${project} ${id("export", count.export)}`, "admin"]],
    "/projects/{project_id}/deployments": [[project, "admin"]],
    "/projects/{project_id}/deployments/{deployment_id}": [[`${project} ${id("deployment", 1)}`, "admin"]],
    "/projects/{project_id}/domains": [[project, "admin"], [`${project}?search=docs-101`, "admin"], [`${project}?cursor=docs-${count.project + 120}.example.com`, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/domains/{domain}": [[`${project} docs-1.example.com`, "admin"], [`${project} claimed-5.example.com`, "admin"]],
    "/projects/{project_id}/domains/{domain}/remove": [[`${project} docs-1.example.com`, "admin"]],
    "/projects/{project_id}/domains/{domain}/rename": [[`${project} docs-1.example.com`, "admin"]],
    "/projects/{project_id}/analytics": [[project, "admin"], [`${project}?range=year`, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/analytics/live": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/analytics/csv": [[project, "admin"]],
    "/projects/{project_id}/analytics/json": [[project, "admin"]],
    "/projects/{project_id}/analytics/redirects": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/analytics/empty-searches": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/pages": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/pages/edit": [[`${project}?path=index`, "admin"]],
    "/projects/{project_id}/pages/file": [[`${project}?file=index.mdx`, "admin"]],
    "/projects/{project_id}/gaps": [[project, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/feedback": [[project, "admin"], [`${project}?search=guides%2F`, "admin"], [`${project}?search=guides%2Fpage-1&state=pending`, "admin"], [`${project}?cursor=${id("feedback", middle("feedback"))}`, "admin"], [`${project}?state=pending`, "admin"], [`${project}?state=resolved&cursor=${id("feedback", middle("feedback"))}`, "admin"], [quiet, "admin"]],
    "/projects/{project_id}/settings": [[project, "admin"]],
    "/projects/{project_id}/settings/credentials": [[project, "admin"]],
    "/projects/{project_id}/settings/webhooks": [[project, "admin"], [`${project}?cursor=${id("delivery", count.delivery - 100)}`, "admin"]],
    "/projects/{project_id}/settings/notifications": [[project, "admin"]],
    "/projects/{project_id}/settings/notifications/{subscription_id}": [[`${project} ${id("subscription", 2)}`, "admin"], [`${project} ${id("subscription", 2)}?cursor=${id("notification", middle("notification"))}`, "admin"]],
    "/projects/{project_id}/settings/assistant-keys": [[project, "admin"]],
    "/projects/{project_id}/settings/assistant-keys/{assistant_key_id}": [[`${project} ${assistantKey}`, "admin"]],
    "/projects/{project_id}/settings/delete": [[project, "admin"]],
  };
  const known = routes();
  const missing = known.filter((route) => !asked[route]);
  const gone = Object.keys(asked).filter((route) => !known.includes(route));
  if (missing.length + gone.length > 0) throw new Error(`bench/dashboard/pages.mjs lacks ${missing}; the dashboard lacks ${gone}`);
  return known.flatMap((route) => asked[route].map(([rest, who]) => ({ route, path: path(route, rest), who })));
}

/** A path with its space-separated ids and its query. */
function path(route, rest) {
  const [ids, query] = rest.split("?");
  const given = ids.split(" ");
  const filled = route.replace(/\{\w+\}/g, () => given.shift());
  return query ? `${filled}?${query}` : filled;
}
