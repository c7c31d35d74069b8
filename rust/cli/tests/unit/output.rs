use super::*;

#[test]
fn a_bar_comes_when_somebody_has_waited() {
    let mut progress = Progress::new();
    progress.set(1, 4);
    assert!(progress.bar.is_none());
    progress.started -= PATIENCE;
    progress.set(3, 4);
    assert_eq!(progress.bar.as_ref().map(ProgressBar::position), Some(3));
}
