// The chart: what Helm's engine accepts and renders, and whether Kubernetes would accept the result.

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { HTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import { parse } from "yaml";

import { deploy, lint, missing, python, render, values } from "./tools.mjs";

const skip = await missing("helm_python");
const skipKinds = skip || (await missing("kubernetes_validate"));
const link = { enabled: true, bundleUrl: "https://storage.example.com/bundle.tar.gz" };
const names = (await readdir(join(deploy, "chart/ci"))).map((file) => file.replace("-values.yaml", ""));

/** The values file that a deployment reads. */
const bundle = ({ kind }) => parse(kind("Secret").stringData["values.yaml"]).staticExport;
const workload = ({ kind }) => kind("StatefulSet") ?? kind("Deployment");
const pod = (rendered) => workload(rendered).spec.template.spec;

test("chart has no diagnostics with its own values and those of each set", { skip }, async () => {
  for (const set of [{}, ...names.map(values)]) assert.deepEqual(await lint(set), []);
});

test("wrong values are refused with their name", { skip }, async () => {
  const export_ = (more) => ({ staticExport: { ...link, ...more } });
  const followed = values("source").staticExport;
  const source = (more) => ({ staticExport: { enabled: true, source: { ...followed.source, ...more } } });
  const key = followed.publicKey;
  for (const [set, reason] of [
    [{}, "staticExport.bundleUrl"],
    [export_({ bundleUrl: "storage.example.com/bundle" }), "bundleUrl"],
    [export_({ bundleURL: "https://example.com" }), "bundleURL"],
    [export_({ version: 1.1 }), "version"],
    [export_({ sha256: "abc" }), "sha256"],
    [export_({ enabled: "yes" }), "enabled"],
    [export_({ maximumBytes: "4 GiB" }), "maximumBytes"],
    [export_({ existingSecret: "docs" }), "existingSecret"],
    [{ staticExport: { enabled: true, existingSecret: "docs", version: "1" } }, "version"],
    [{ staticExport: { enabled: true, existingSecret: "Docs Bundle" } }, "existingSecret"],
    [export_({ publicKey: "ed25519:abc" }), "publicKey"],
    [export_({ folder: "/carried" }), "only one"],
    [export_({ source: { url: "https://example.com", domain: "docs.example.com", keySecret: "key" } }), "only one"],
    [{ staticExport: { enabled: true, folder: "carried" } }, "folder"],
    [source({ url: "docwright.example.com" }), "url"],
    [source({ url: "https://user:password@docwright.example.com" }), "url"],
    [source({ domain: "" }), "staticExport.source.domain"],
    [source({ domain: "https://docs.example.com" }), "domain"],
    [source({ keySecret: "" }), "staticExport.source.keySecret"],
    [source({ pollSeconds: 0 }), "pollSeconds"],
    [source({ key: "dw_0_0" }), "key"],
    [{ staticExport: { enabled: true, existingSecret: "docs", publicKey: key } }, "publicKey"],
    [{ staticExport: link, analytics: { passwordSecret: "Analytics" } }, "passwordSecret"],
    [{ staticExport: link, analytics: { password: "correct horse" } }, "password"],
    [{ staticExport: link, analytics: { passwordSecret: "analytics" } }, "needs one pod"],
    [{ ...values("analytics"), autoscaling: { enabled: true } }, "needs one pod"],
    [{ ...values("analytics"), cache: { kind: "pod" } }, "cache.kind"],
    [{ staticExport: link, basePath: "docs" }, "basePath"],
    [{ staticExport: link, basePath: "/docs/" }, "basePath"],
    [{ staticExport: link, trustedProxies: ["ingress"] }, "trustedProxies"],
    [{ staticExport: link, cache: { kind: "disk" } }, "kind"],
    [{ staticExport: link, cache: { kind: "claim", existingClaim: "docs" } }, "kind"],
    [{ staticExport: link, cache: { size: "4 GB" } }, "size"],
    [{ staticExport: link, gateway: { enabled: true } }, "parentRefs"],
    [{ staticExport: link, ingress: { hosts: ["https://example.com"] } }, "hosts"],
    [{ staticExport: link, replicas: 3 }, "replicas"],
    [{ staticExport: link, image: { pullPolicy: "Sometimes" } }, "pullPolicy"],
    [{ staticExport: link, probes: { readiness: { path: "/" } } }, "readiness"],
    [{ staticExport: link, topologySpreadConstraints: [{ labelSelector: {} }] }, "topologySpreadConstraints"],
  ]) {
    const { error } = await render(set);
    assert.ok(error?.includes(reason), `${JSON.stringify(set)}: ${error}`);
  }
});

test("objects of each set are valid in Kubernetes 1.27 and 1.37", { skip: skipKinds }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "chart-"));
  try {
    for (const name of names) {
      const { objects, error } = await render(values(name));
      assert.equal(error, undefined, name);
      const files = [];
      for (const object of objects) {
        if (object.kind === "HTTPRoute") {
          new HTTPRoute(object).validate();
          continue;
        }
        files.push(join(folder, `${name}-${object.kind}.yaml`));
        await writeFile(files.at(-1), JSON.stringify(object));
      }
      for (const version of ["1.27", "1.37"]) {
        const { code, text } = await python("kubernetes-validate", ["--strict", "-k", version, ...files]);
        assert.equal(code, 0, text);
      }
    }
    const wrong = join(folder, "wrong.yaml");
    await writeFile(wrong, JSON.stringify({ apiVersion: "v1", kind: "Service", spec: { prots: [] } }));
    assert.notEqual((await python("kubernetes-validate", ["--strict", wrong])).code, 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("deployment gets the link and the pins as a values file", { skip }, async () => {
  const set = values("link");
  const rendered = await render(set);
  assert.deepEqual(bundle(rendered), { ...set.staticExport, maximumBytes: 4294967296 });
  const file = pod(rendered).volumes.find(({ name }) => name === "values");
  assert.equal(file.secret.secretName, rendered.kind("Secret").metadata.name);
  const [container] = pod(rendered).containers;
  assert.deepEqual(container.args.slice(0, 2), ["deploy", "--values=/etc/docwright/values.yaml"]);
  const texts = { version: "1.10", bundleUrl: 'https://example.com/a"b: {{ .x }} #c' };
  const odd = bundle(await render({ staticExport: { enabled: true, ...texts } }));
  assert.deepEqual(odd, { enabled: true, ...texts, maximumBytes: 4294967296 });
  assert.equal(bundle(await render({ staticExport: { enabled: false } })).enabled, false);
});

test("deployment that follows a service reads its key from a secret", { skip }, async () => {
  const set = values("source");
  const rendered = await render(set);
  const { keySecret, ...source } = set.staticExport.source;
  const { publicKey } = set.staticExport;
  const expected = { ...source, keyFile: "/etc/docwright-key/key", pollSeconds: 60 };
  assert.deepEqual(bundle(rendered), { enabled: true, source: expected, publicKey, maximumBytes: 4294967296 });
  const { volumes, containers } = pod(rendered);
  const volume = volumes.find(({ name }) => name === "key");
  assert.deepEqual([volume.secret.secretName, volume.secret.items], [keySecret, [{ key: "key", path: "key" }]]);
  const mount = containers[0].volumeMounts.find(({ name }) => name === "key");
  assert.deepEqual(mount, { name: "key", mountPath: "/etc/docwright-key", readOnly: true });
  assert.ok(!rendered.notes.includes("Links expire"));
  // A Secret with a values file can name the same file.
  const existing = await render({ staticExport: { enabled: true, existingSecret: "docs", source: { keySecret } } });
  assert.ok(pod(existing).volumes.some(({ name }) => name === "key"));
  assert.ok(!pod(await render({ staticExport: link })).volumes.some(({ name }) => name === "key"));
});

test("page of web analytics has its password from a secret", { skip }, async () => {
  const set = values("analytics");
  const rendered = await render(set);
  const { volumes, containers } = pod(rendered);
  const { secret } = volumes.find(({ name }) => name === "analytics-password");
  assert.deepEqual([secret.secretName, secret.items], [set.analytics.passwordSecret, [{ key: "password", path: "password" }]]);
  const { mountPath, readOnly } = containers[0].volumeMounts.find(({ name }) => name === "analytics-password");
  assert.equal(readOnly, true);
  assert.ok(containers[0].args.includes(`--analytics-password-file=${mountPath}/password`), containers[0].args);
  assert.equal(workload(rendered).spec.replicas, 1);
  // A Secret with the values file doesn't replace the one with the password.
  const existing = await render({ ...set, staticExport: { enabled: true, existingSecret: "docs" } });
  assert.ok(pod(existing).volumes.some(({ name }) => name === "analytics-password"));
  const without = pod(await render({ staticExport: link }));
  assert.ok(!without.volumes.some(({ name }) => name === "analytics-password"));
  assert.ok(!without.containers[0].args.some((arg) => arg.startsWith("--analytics")));
});

test("carried bundles are read from a folder of a volume", { skip }, async () => {
  const set = values("folder");
  const rendered = await render(set);
  assert.deepEqual(bundle(rendered), { ...set.staticExport, maximumBytes: 4294967296 });
  const mount = pod(rendered).containers[0].volumeMounts.find(({ name }) => name === "carried");
  assert.equal(mount.mountPath, set.staticExport.folder);
});

test("application of Argo CD has values that the chart accepts", { skip }, async () => {
  const { kind, spec } = parse(await readFile(join(deploy, "argo-cd/argo-cd.yaml"), "utf8"));
  assert.equal(kind, "Application");
  assert.equal(spec.source.path, "deploy/chart");
  const { error } = await render(spec.source.helm.valuesObject);
  assert.equal(error, undefined);
  assert.deepEqual(await lint(spec.source.helm.valuesObject), []);
});

test("secret has another name when the bundle changes", { skip }, async () => {
  const named = async (set) => (await render(set)).kind("Secret").metadata.name;
  const first = await named({ staticExport: link });
  assert.equal(await named({ staticExport: link, replicaCount: 5 }), first);
  assert.notEqual(await named({ staticExport: { ...link, version: "2" } }), first);
});

test("existing secret replaces the chart's own", { skip }, async () => {
  const rendered = await render(values("existing-secret"));
  assert.equal(rendered.kind("Secret"), undefined);
  assert.equal(pod(rendered).volumes.find(({ name }) => name === "values").secret.secretName, "docs-bundle");
  assert.match(pod(rendered).containers[0].image, /^registry\.example\.com\/docwright-deploy@sha256:e3b0/);
});

test("container is confined", { skip }, async () => {
  for (const name of names) {
    const { securityContext, automountServiceAccountToken, containers } = pod(await render(values(name)));
    assert.equal(automountServiceAccountToken, false);
    assert.equal(securityContext.runAsNonRoot, true);
    assert.deepEqual(securityContext.seccompProfile, { type: "RuntimeDefault" });
    assert.deepEqual(containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  }
});

test("probes ask the listener that the container starts", { skip }, async () => {
  const [container] = pod(await render({ staticExport: link })).containers;
  assert.ok(container.args.includes("--probes=:9090") && container.args.includes("--listen=:8080"));
  const port = container.ports.find(({ name }) => name === "probes").containerPort;
  assert.equal(port, 9090);
  const asked = [container.startupProbe, container.livenessProbe, container.readinessProbe];
  assert.deepEqual(
    asked.map(({ httpGet }) => httpGet),
    ["/healthz", "/healthz", "/readyz"].map((path) => ({ path, port: "probes" })),
  );
});

test("pods never share a data folder", { skip }, async () => {
  const data = async (kind) => {
    const rendered = await render({ staticExport: link, cache: { kind } });
    const { env } = pod(rendered).containers[0];
    return [workload(rendered).kind, env.find(({ name }) => name === "DOCWRIGHT_DATA").value, rendered];
  };
  const [own, folder, claims] = await data("claim");
  assert.deepEqual([own, folder], ["StatefulSet", "/data"]);
  assert.equal(workload(claims).spec.volumeClaimTemplates[0].metadata.name, "data");
  const [shared, ofPod, rendered] = await data("shared");
  assert.deepEqual([shared, ofPod], ["StatefulSet", "/data/$(POD_NAME)"]);
  const claim = rendered.kind("PersistentVolumeClaim");
  assert.deepEqual(claim.spec.accessModes, ["ReadWriteMany"]);
  const used = pod(rendered).volumes.find(({ name }) => name === "data").persistentVolumeClaim.claimName;
  assert.equal(used, claim.metadata.name);
  const [temporary, inside] = await data("pod");
  assert.deepEqual([temporary, inside], ["Deployment", "/data"]);
  const cache = { kind: "shared", existingClaim: "mine" };
  const existing = await render({ staticExport: link, cache });
  assert.equal(existing.kind("PersistentVolumeClaim"), undefined);
});

test("routes lead to the site at its base path", { skip }, async () => {
  const rendered = await render(values("routes"));
  const { name } = rendered.kind("Service").metadata;
  const { spec } = rendered.kind("Ingress");
  assert.equal(spec.ingressClassName, "nginx");
  assert.deepEqual(spec.tls, [{ secretName: "example-com", hosts: ["example.com", "www.example.com"] }]);
  const service = { name, port: { name: "http" } };
  const paths = [{ path: "/docs", pathType: "Prefix", backend: { service } }];
  const hosts = ["example.com", "www.example.com"];
  assert.deepEqual(spec.rules, hosts.map((host) => ({ host, http: { paths } })));
  assert.deepEqual(rendered.kind("HTTPRoute").spec, {
    parentRefs: [{ name: "public", namespace: "gateways" }],
    hostnames: ["example.com"],
    rules: [
      { matches: [{ path: { type: "PathPrefix", value: "/docs" } }], backendRefs: [{ name, port: 80 }] },
    ],
  });
  const { args } = pod(rendered).containers[0];
  assert.ok(args.includes("--base-path=/docs"), args);
  assert.ok(args.includes("--trusted-proxies=10.0.0.0/8,fd00::/8"), args);
  assert.match(rendered.notes, /https:\/\/example\.com\/docs/);
  const plain = await render({ staticExport: link, ingress: { enabled: true } });
  const [rule] = plain.kind("Ingress").spec.rules;
  assert.deepEqual([rule.host, rule.http.paths[0].path], [undefined, "/"]);
  assert.ok(!pod(plain).containers[0].args.some((arg) => arg.startsWith("--base-path")));
  assert.match(plain.notes, /Set trustedProxies/);
});

test("autoscaler decides the number of pods", { skip }, async () => {
  const rendered = await render(values("autoscaling"));
  assert.equal(workload(rendered).spec.replicas, undefined);
  const { spec } = rendered.kind("HorizontalPodAutoscaler");
  const { kind, metadata } = workload(rendered);
  assert.deepEqual(spec.scaleTargetRef, { apiVersion: "apps/v1", kind, name: metadata.name });
  assert.deepEqual([spec.minReplicas, spec.maxReplicas], [3, 9]);
  assert.equal(rendered.kind("PodDisruptionBudget").spec.maxUnavailable, "25%");
  assert.equal((await render(values("link"))).kind("HorizontalPodAutoscaler"), undefined);
});

test("selectors match the labels of pods", { skip }, async () => {
  const rendered = await render(values("autoscaling"));
  const { labels } = workload(rendered).spec.template.metadata;
  const selectors = [
    workload(rendered).spec.selector.matchLabels,
    rendered.kind("Service").spec.selector,
    rendered.kind("PodDisruptionBudget").spec.selector.matchLabels,
    rendered.kind("NetworkPolicy").spec.podSelector.matchLabels,
    ...pod(rendered).topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
  ];
  assert.equal(selectors.length, 6);
  for (const selector of selectors) {
    assert.deepEqual({ ...labels, ...selector }, labels);
    assert.equal(selector["app.kubernetes.io/instance"], "docs");
  }
});

test("names fit, however long the release's is", { skip }, async () => {
  const { objects } = await render(values("autoscaling"), "a".repeat(53));
  for (const { kind, metadata } of objects) assert.ok(metadata.name.length <= 63, `${kind} ${metadata.name}`);
});

test("values begin with the static export, and the schema knows each of them", async () => {
  const text = await readFile(join(deploy, "chart/values.yaml"), "utf8");
  const all = parse(text);
  assert.equal(Object.keys(all)[0], "staticExport");
  assert.deepEqual(Object.keys(all.staticExport).slice(0, 3), ["enabled", "bundleUrl", "version"]);
  const schema = JSON.parse(await readFile(join(deploy, "chart/values.schema.json"), "utf8"));
  const { global, ...known } = schema.properties;
  assert.ok(global);
  assert.deepEqual(Object.keys(known).sort(), Object.keys(all).sort());
  assert.deepEqual(Object.keys(known.staticExport.properties), Object.keys(all.staticExport));
  const { properties } = known.staticExport.properties.source;
  assert.deepEqual(Object.keys(properties), Object.keys(all.staticExport.source));
});
