//! The whole service: database, storage, API, and workers, started and stopped together.

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use anyhow::Context;
use axum::{Router, middleware};
use docwright_dashboard::MarkdownReader;
use docwright_http::{
    health::{self, Readiness},
    listen::{self, Bounds},
    metrics::{self, Jobs, Queues, ServiceMetrics},
    probes::Probes,
    request,
    tls::Tls,
};
use docwright_jobs::{
    child::Launcher,
    comparer::Comparer,
    dependencies::Dependencies,
    lost_bundles::LostBundles,
    propose::ModelSettings,
    queue::{Event, Job, Lookout, Observer, Shutdown, Slots, Wakes, Worker},
    scratch::Scratch,
};
use docwright_operations::{
    Mail, Operations, Resources,
    analytics::weekly,
    attempts::Attempts,
    callers::passwords,
    failed_sign_ins::FailedSignIns,
    model_answers::ModelAnswers,
    ownership::{self, Leads, Ownership},
    page_lookup::PageLookup,
    repository_checks::RepositoryChecks,
    service_hosts::ServiceHosts,
};
use docwright_serving::{
    analytics::{Analytics, Kept},
    assistant::{QuestionWriter, SiteAssistant},
    requests::RequestProxy,
    sites::{Access, Drafts, Sites},
};
use docwright_storage::{Database, DependencyWatch, Keyring, Objects};
use docwright_types::{domain_address::DomainAddress, site_origin::SiteOrigin, timestamp::SECOND};
use futures::FutureExt;
use tokio::{
    net::TcpListener,
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::{
    config::{Role, Settings, SignalAt},
    flows,
    front::{Faces, HostRouter},
    reader_records::ReaderRecords,
    repositories::repositories,
};

const MIB: u64 = 1024 * 1024;
/// Repositories that are polled at once.
const POLLS: usize = 8;
/// Releases that are reported to hosts at once.
const REPORTS: usize = 4;
/// Time limit of a look-up of pages for the API.
const LOOKUP_TIME: Duration = Duration::from_secs(30);
/// How long it keeps answering when it stops, so that readiness checks notice.
const NOTICE: Duration = Duration::from_secs(5);
/// Time limit of each of the last steps when the service stops.
const LAST_STEP: Duration = Duration::from_secs(5);

/// A running service.
#[derive(Debug)]
pub(crate) struct Service {
    address: SocketAddr,
    secure_address: Option<SocketAddr>,
    setup_link: Option<String>,
    database: Database,
    objects: Objects,
    shutdown: Shutdown,
    drain: Duration,
    workers: Vec<JoinHandle<()>>,
    stop_serving: watch::Sender<bool>,
    server: JoinHandle<()>,
    /// Writes about readers, if this process serves sites.
    records: Option<ReaderRecords>,
    /// They answer until the end.
    probes: Option<Probes>,
    /// Removed with the service.
    _scratch: Scratch,
}

impl Service {
    /// Opens the data folder and starts the parts of the role.
    pub(crate) async fn start(settings: &Settings) -> anyhow::Result<Self> {
        settings.agent.check_model()?;
        settings.tls.check()?;
        let database = settings.store.database().await?;
        let keyring = settings.store.keyring(&database).await?;
        settings.store.check_repositories(&database).await?;
        let (listener, probes) = listeners(settings).await?;
        let secure = secure_listener(settings).await?;
        // A process that only runs jobs needs no other listener than that of its probes.
        let first = listener.as_ref().or(probes.as_ref()).context("--listen is missing")?;
        let address = first.local_addr()?;
        let metrics = ServiceMetrics::default();
        let shutdown = Shutdown::default();
        let opened = (&database, keyring.clone());
        let scratch = flows::scratch(settings)?;
        let places = (address, secure.as_ref(), &scratch);
        let operations = open_operations(settings, opened, places, &metrics).await?;
        let objects = operations.objects.clone();
        start_watches(&operations, &shutdown);
        let workers = match settings.role {
            Role::Api => Vec::new(),
            Role::Worker | Role::All => {
                database.poll_repositories(settings.git_hosts.poll().is_some()).await?;
                start_workers(&operations, settings, &scratch, (&metrics, &shutdown))?
            }
        };
        let (stop_serving, mut stopped) = watch::channel(false);
        let stop = async move { drop(stopped.wait_for(|stopped| *stopped).await) }.boxed().shared();
        let mut secure_address = None;
        let stopping = shutdown.drain.clone();
        let readiness =
            Readiness { database: database.clone(), disk: operations.disk.clone(), stopping };
        let mut health = health::router(readiness);
        let mut own_probes = None;
        if let Some(listener) = probes {
            let queues = Queues::new(database.clone());
            let exposition = metrics.exposition(queues, &settings.store.data);
            let router = std::mem::take(&mut health).merge(metrics::router(exposition));
            own_probes = Some(Probes::serve(listener, router)?);
        }
        let bounds = Bounds::public(settings.proxies.trusted(), metrics.connections.clone());
        let (mut records, mut setup_link) = (None, None);
        let server = match listener {
            None => tokio::spawn(async {}),
            // A process that only runs jobs still reports that it is alive.
            Some(listener) if settings.role == Role::Worker => {
                let health = health.layer(middleware::map_response(request::log_cause));
                tokio::spawn(listen::serve_router(listener, stop, bounds, health))
            }
            Some(listener) => {
                setup_link = docwright_dashboard::announce(&operations).await;
                let tls = tls(&operations, settings, secure.as_ref(), (keyring, &metrics)).await?;
                let front = front(operations, settings, (health, &metrics), &shutdown).await?;
                let (mut front, started) = front;
                records = Some(started);
                front.tls.clone_from(&tls);
                let secure = secure.zip(tls);
                if let Some((secure, tls)) = &secure {
                    secure_address = Some(secure.local_addr()?);
                    tls.run(&shutdown.drain);
                }
                serve(listener, secure, (stop, bounds), front)?
            }
        };
        Ok(Self {
            address,
            secure_address,
            setup_link,
            database,
            objects,
            shutdown,
            drain: Duration::from_secs(settings.drain_seconds),
            workers,
            stop_serving,
            server,
            records,
            probes: own_probes,
            _scratch: scratch,
        })
    }

    /// The link that creates the first account, as long as there is none.
    pub(crate) fn setup_link(&self) -> Option<&str> {
        self.setup_link.as_deref()
    }

    /// The address of probes and metrics, if they have a separate listener.
    pub(crate) fn probes(&self) -> Option<SocketAddr> {
        self.probes.as_ref().map(Probes::address)
    }

    /// The kind of its database.
    pub(crate) const fn database_kind(&self) -> &'static str {
        self.database.kind()
    }

    /// Its address.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its HTTPS address, if it has one.
    pub(crate) const fn secure_address(&self) -> Option<SocketAddr> {
        self.secure_address
    }

    /// Lets jobs and requests finish until a deadline. Other jobs return to the queue. In the meantime it is not
    /// ready, and event streams end. Sites are served until the jobs are over.
    pub(crate) async fn stop(self) {
        let mut jobs = pin!(self.shutdown.stop(self.drain, self.workers));
        let noticed = async {
            if health::is_watched() {
                sleep(NOTICE).await;
            }
        };
        let (are_over, ()) = tokio::join!(timeout(self.drain, &mut jobs), noticed);
        let mut server = self.server;
        let requests = async {
            // The receiver is gone if the server ended on its own.
            let _gone = self.stop_serving.send(true);
            if timeout(LAST_STEP, &mut server).await.is_err() {
                tracing::info!("unfinished requests stopped");
                server.abort();
            }
        };
        if are_over.is_ok() {
            requests.await;
        } else {
            // The remaining jobs return to the queue now.
            tokio::join!(jobs, requests);
        }
        if let Some(records) = self.records {
            records.finish(LAST_STEP).await;
        }
        if timeout(LAST_STEP, self.objects.settle()).await.is_err() {
            tracing::info!("parts of failed uploads not removed; a later cleanup removes them");
        }
        if timeout(LAST_STEP, self.database.close()).await.is_err() {
            tracing::info!("database connections still open");
        }
    }

    /// The longest time that [`Service::stop`] takes without errors.
    pub(crate) fn stopping_time(settings: &Settings) -> Duration {
        Duration::from_secs(settings.drain_seconds) + NOTICE + Shutdown::GIVING_BACK + LAST_STEP * 4
    }
}

/// Shared state of handlers, for a service at an address.
async fn open_operations(
    settings: &Settings,
    (database, keyring): (&Database, Keyring),
    (address, secure, scratch): (SocketAddr, Option<&TcpListener>, &Scratch),
    metrics: &ServiceMetrics,
) -> anyhow::Result<Operations> {
    let site_origin = site_origin(settings, database, address, secure).await?;
    let public_url = settings.public_url.as_ref().map(url::Url::as_str);
    let public_url = public_url.map(|url| url.trim_end_matches('/').to_owned());
    let own_url = public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let own_address = url::Url::parse(&own_url).context("the address of the service")?;
    let mut repositories =
        repositories((&settings.store, &settings.git_hosts), (database, &keyring), own_url)?;
    repositories.previews = settings.previews.addresses(&own_address, site_origin)?;
    if let Err(reason) = &repositories.previews {
        tracing::info!(%reason, "previews are off");
    }
    let mut hosts = ServiceHosts::new(settings.public_url.as_ref());
    if let Ok(previews) = &repositories.previews {
        hosts = hosts.with_previews(&previews.domain);
    }
    let previews = repositories.previews.as_ref().ok().map(|previews| &previews.domain);
    let hosts = Arc::new(hosts.with_sites(settings.domains.sites(&own_address, previews)?));
    let ownership = Ownership::new(
        database.clone(),
        (&settings.domains.approved_domains, &settings.domains.dns_servers),
        Arc::clone(&hosts),
    );
    let ownership = ownership.with_leads(Leads {
        keyring: keyring.clone(),
        network: settings.git_hosts.readers_network(),
        service: settings.public_url.clone(),
        origin: site_origin,
        orders_certificates: settings.tls.acme_contact.is_some(),
    });
    let (watch, reports) = DependencyWatch::new();
    let objects = settings.store.open_objects(keyring, database).await?.with_watch(watch.clone());
    let assistant = settings.assistant.model().map(str::to_owned);
    let models = Arc::new(ModelSettings { assistant, watch, ..settings.agent.models()? });
    let dependencies =
        Dependencies::new(database.clone(), objects.clone(), Arc::clone(&models), Some(reports));
    let comparer = Comparer { objects: objects.clone(), scratch: scratch.folder().to_owned() };
    let wakes = Wakes::default();
    let lost_bundles = LostBundles::new(
        database.clone(),
        Some(objects.clone()),
        repositories.clock.clone(),
        Arc::clone(&wakes.releases),
    );
    let sign_ins = metrics.sign_ins.clone();
    Ok(Operations::new(Resources {
        objects,
        lost_bundles,
        comparer,
        page_lookup: PageLookup::new(lookup_launcher(settings)?),
        repository_checks: RepositoryChecks::default(),
        repositories,
        wakes,
        models,
        dependencies: Arc::new(dependencies),
        model_answers: ModelAnswers::default(),
        ownership: Arc::new(ownership),
        disk: settings.retention.disk(&settings.store.data),
        site_origin: Some(site_origin),
        public_url,
        link_lifetime: settings.link_seconds * SECOND,
        mail: settings.mail.mailer()?.map(|mailer| Mail {
            mailer,
            invitation_text: docwright_dashboard::emails::invitation,
            sign_in_text: docwright_dashboard::emails::sign_in_link,
        }),
        failed_sign_ins: Arc::new(FailedSignIns::new(move |why| sign_ins.failed(why))),
        attempts: Attempts::within(passwords::TIME),
        database: database.clone(),
    }))
}

/// The origin of sites: that of the service, else its listener. A process that answers readers records it, for
/// releases requested from then on.
async fn site_origin(
    settings: &Settings,
    database: &Database,
    listener: SocketAddr,
    secure: Option<&TcpListener>,
) -> anyhow::Result<SiteOrigin> {
    if settings.role == Role::Worker && settings.public_url.is_none() {
        return Ok(database.site_origin().await?.unwrap_or_default());
    }
    let (origin, is_chosen) = match (&settings.public_url, secure, &settings.tls.tls_listen) {
        (Some(url), ..) => (SiteOrigin::new(url.scheme(), url.port()), false),
        (None, Some(secure), Some(asked)) => {
            (SiteOrigin::new("https", Some(secure.local_addr()?.port())), asked.port() == 0)
        }
        _ => (SiteOrigin::new("http", Some(listener.port())), settings.listen.port() == 0),
    };
    if settings.role != Role::Worker {
        // The system chooses another port at the next start, but files outlive it.
        let kept = if is_chosen { origin.without_port() } else { origin };
        database.record_site_origin(kept).await?;
    }
    Ok(origin)
}

/// Binds the addresses of the settings: for requests, and for probes.
async fn listeners(
    settings: &Settings,
) -> anyhow::Result<(Option<TcpListener>, Option<TcpListener>)> {
    let probes = match &settings.probes {
        Some(address) => Some(listen::bind(address, "--probes").await?),
        None => None,
    };
    if probes.is_some() && settings.role == Role::Worker {
        return Ok((None, probes));
    }
    Ok((Some(listen::bind(&settings.listen, "--listen").await?), probes))
}

/// Serves requests until it must stop: at a listener, and at another one with TLS, which share its limits.
fn serve(
    listener: TcpListener,
    secure: Option<(TcpListener, Arc<Tls>)>,
    (stop, bounds): (impl Future<Output = ()> + Clone + Send + 'static, Bounds),
    front: HostRouter,
) -> anyhow::Result<JoinHandle<()>> {
    let front = Arc::new(front);
    // Boxed: hyper moves what it polls several times.
    let answer = move |request| Arc::clone(&front).answer(request).boxed();
    let Some((secure, tls)) = secure else {
        return Ok(tokio::spawn(listen::serve(listener, stop, bounds, answer)));
    };
    let bounds = bounds.halved();
    let secured = bounds.clone().with_tls(tls.config()?);
    let secured = listen::serve(secure, stop.clone(), secured, answer.clone());
    let plain = listen::serve(listener, stop, bounds, answer);
    Ok(tokio::spawn(async {
        tokio::join!(secured, plain);
    }))
}

/// Binds the address for HTTPS, if there is one. A process that only runs jobs answers no readers.
async fn secure_listener(settings: &Settings) -> anyhow::Result<Option<TcpListener>> {
    match &settings.tls.tls_listen {
        Some(address) if settings.role != Role::Worker => {
            Ok(Some(listen::bind(address, "--tls-listen").await?))
        }
        _ => Ok(None),
    }
}

/// Certificates for a listener.
async fn tls(
    operations: &Operations,
    settings: &Settings,
    listener: Option<&TcpListener>,
    (keyring, metrics): (Keyring, &ServiceMetrics),
) -> anyhow::Result<Option<Arc<Tls>>> {
    let Some(listener) = listener else { return Ok(None) };
    let url = settings.public_url.as_ref();
    // Certificates are for names.
    let is_local = |host: &str| host == "localhost" || host.ends_with(".localhost");
    let own = url.and_then(url::Url::domain).filter(|host| !is_local(host));
    let own = own.map(|host| host.trim_end_matches('.').to_owned());
    let public =
        url.filter(|url| url.scheme() == "https").and_then(url::Url::port_or_known_default);
    let port = public.unwrap_or(listener.local_addr()?.port());
    let kept = (operations.database.clone(), keyring, operations.repositories.clock.clone());
    let metrics = metrics.certificates.clone();
    Tls::open(&settings.tls, kept, (own, port), metrics).await.map(Some)
}

/// Where members sign in for previews: at the address of the service, if it is known. Previews below `localhost`
/// belong to a service on this machine, at its listener.
fn sign_in_address(operations: &Operations) -> Option<String> {
    let previews = operations.repositories.previews.as_ref().ok()?;
    let is_here = previews.domain.as_str() == "localhost";
    let own = || is_here.then(|| operations.repositories.public_url.clone());
    operations.public_url.clone().or_else(own)
}

fn lookup_launcher(settings: &Settings) -> anyhow::Result<Launcher> {
    let mut limits = settings.builds.limits();
    limits.wall_time = limits.wall_time.min(LOOKUP_TIME);
    Ok(Launcher::new(flows::program()?, limits))
}

/// Watches dependencies and the database, in processes of every role.
fn start_watches(operations: &Operations, shutdown: &Shutdown) {
    let dependencies = Arc::clone(&operations.dependencies);
    tokio::spawn(dependencies.run(shutdown.drain.clone()));
    let lookout =
        Lookout { database: operations.database.clone(), wakes: operations.wakes.clone() };
    tokio::spawn(lookout.run(shutdown.drain.clone()));
}

fn start_workers(
    operations: &Operations,
    settings: &Settings,
    scratch: &Scratch,
    (metrics, shutdown): (&ServiceMetrics, &Shutdown),
) -> anyhow::Result<Vec<JoinHandle<()>>> {
    let observer = observer(metrics.jobs.clone(), settings);
    let publisher = Arc::new(flows::publisher(operations, settings, scratch)?);
    let proposer = Arc::new(flows::proposer(operations, settings, scratch)?);
    let start = (operations, settings, shutdown);
    let builds = usize::from(settings.builds.builds);
    let mut tasks = start_worker(&publisher, builds, &observer, start);
    let jobs = settings.agent.agent_jobs;
    tasks.extend(start_worker(&proposer, jobs, &observer, start));
    let stop = shutdown.drain.clone();
    tasks.push(tokio::spawn(flows::cleaner(operations, settings)?.run(stop.clone())));
    tasks.push(tokio::spawn(flows::preview_reporter(operations).run(stop.clone())));
    let notifier = flows::notifier(operations, metrics.notifications.clone());
    tasks.push(tokio::spawn(notifier.run(stop.clone())));
    tasks.push(tokio::spawn(weekly::run(operations.clone(), stop.clone())));
    let poller = Arc::new(flows::poller(operations, settings, metrics.polls.clone()));
    tasks.extend(start_worker(&poller, POLLS, &observer, start));
    let reporter = Arc::new(flows::reporter(operations, metrics.reports.clone()));
    tasks.extend(start_worker(&reporter, REPORTS, &observer, start));
    let ownership = Arc::clone(&operations.ownership);
    tasks.push(tokio::spawn(ownership::follow(
        ownership,
        operations.repositories.clock.clone(),
        stop,
    )));
    Ok(tasks)
}

/// Counts events of jobs, and sends the signal of `--signal-at`.
fn observer(metrics: Jobs, settings: &Settings) -> Observer {
    let signal = settings.signal_at.map(SignalAt::sender);
    Observer::new(move |observed| {
        metrics.observe(observed);
        if let (Some(signal), Event::Reached(step, _)) = (&signal, observed.event) {
            signal(step);
        }
    })
}

/// Starts the worker of a queue with a number of slots, each a task.
fn start_worker<J: Job>(
    job: &Arc<J>,
    slots: usize,
    observer: &Observer,
    (operations, settings, shutdown): (&Operations, &Settings, &Shutdown),
) -> Vec<JoinHandle<()>> {
    let worker = Worker {
        job: Arc::clone(job),
        database: operations.database.clone(),
        clock: operations.repositories.clock.clone(),
        lease: settings.lease_seconds * SECOND,
        disk: operations.disk.clone(),
        wake: Arc::clone(operations.wakes.of(J::QUEUE)),
        observer: observer.clone(),
        slots: Arc::new(Slots::new(slots)),
        shutdown: shutdown.clone(),
    };
    (0..slots).map(|_| tokio::spawn(worker.clone().run())).collect()
}

/// The API and the sites, which follow the database from now on.
async fn front(
    operations: Operations,
    settings: &Settings,
    (probes, metrics): (Router, &ServiceMetrics),
    shutdown: &Shutdown,
) -> anyhow::Result<(HostRouter, ReaderRecords)> {
    let cache = (settings.store.data.join("cache/bundles"), settings.sites.bundle_cache());
    let (database, clock) = (operations.database.clone(), operations.repositories.clock.clone());
    let is_https = operations
        .repositories
        .previews
        .as_ref()
        .is_ok_and(|previews| previews.origin.scheme() == "https");
    let access = Access::new(
        operations.repositories.keyring.clone(),
        is_https,
        sign_in_address(&operations),
    );
    let site_origin = operations.site_origin.unwrap_or_default();
    let proxy = RequestProxy::new(
        settings.git_hosts.readers_network(),
        clock.clone(),
        metrics.playground.clone(),
    );
    let assistant = settings.assistant.assistant(&settings.agent.providers.models()?)?;
    let questions = QuestionWriter::new(database.clone());
    let assistant = SiteAssistant::new(
        assistant,
        clock.clone(),
        metrics.assistant.clone(),
        Some(Arc::clone(&questions)),
    );
    let assistant = match &operations.models.assistant {
        Some(model) => assistant.with_watch(model, &operations.models.watch),
        None => assistant,
    };
    // Backups contain a database that is a file, but not this folder.
    let key_folder = (database.kind() == "sqlite").then(|| settings.store.data.join("cache"));
    let keys = (operations.repositories.keyring.clone(), key_folder);
    let kept = Kept {
        spool: settings.store.data.join("spool"),
        objects: settings.retention.keeps_events().then(|| operations.objects.clone()),
        metrics: metrics.analytics.clone(),
    };
    let analytics = Analytics::new(database.clone(), keys, clock.clone(), kept);
    let records =
        ReaderRecords::start(&database, Arc::clone(&analytics), questions, assistant.clone());
    let sites = Sites::new(
        (database, operations.objects.clone(), operations.lost_bundles.clone()),
        clock,
        cache,
        metrics.bundles.clone(),
        (access, Drafts::new(&operations), proxy, assistant, analytics),
    );
    let sites = Arc::new(sites.context("cannot open the cache of bundles")?);
    let seen = sites.load().await.context("cannot read the active releases of domains")?;
    let wake = Arc::clone(&operations.wakes.sites);
    tokio::spawn(Arc::clone(&sites).follow(seen, wake, shutdown.drain.clone()));
    let hosts = Arc::clone(operations.ownership.service_hosts());
    for domain in sites.domains() {
        let name =
            DomainAddress::parse(&domain).with_context(|| format!("the stored domain {domain}"))?;
        hosts
            .refuse_own(name.host())
            .context("a stored domain can't be served, see `docwright admin domain list`")?;
    }
    let strict = Some(settings.tls.hsts_seconds).filter(|seconds| *seconds > 0);
    let strict = strict.and_then(|seconds| format!("max-age={seconds}").try_into().ok());
    let service = Faces {
        sites: Arc::clone(&sites),
        markdown: MarkdownReader::new(flows::program()?),
        provider: settings.sign_in.provider(&operations.repositories.public_url)?,
        maximum_push: settings.maximum_push * MIB,
        stopping: shutdown.drain.clone(),
        webhooks: metrics.webhooks.clone(),
        operations: operations.clone(),
    };
    let service = service.router(probes, metrics.requests.clone());
    let metrics = metrics.sites.clone();
    let router =
        HostRouter { hosts, service, operations, sites, metrics, site_origin, tls: None, strict };
    Ok((router, records))
}
